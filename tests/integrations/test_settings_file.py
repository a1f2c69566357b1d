"""`enable(settings=..., quality=...)` on toys: what fits, what departs, and what is said about it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import torch
from diffusers import FlowMatchEulerDiscreteScheduler
from tests.integrations.toys import COND, UNCOND, Toy, ToyModel, ToyPipeline, denoise
from tests.support.tuned import COMPUTED, HIGH, SPEEDUP, STEPS, tuned, tuned_file

import navicache
from navicache.integrations.attachments import find_attachment
from navicache.integrations.scheduler import read_noise_levels

EULER = "FlowMatchEulerDiscreteScheduler"


class GuidedPipeline(ToyPipeline):
    """Tells its guidance as pipelines of diffusers do: not before the first call."""

    @property
    def guidance_scale(self) -> float:
        return self._guidance_scale


class OtherScheduler(FlowMatchEulerDiscreteScheduler):
    """The same steps under another name."""


def scheduler_of(shift: float = 3.0, kind: Any = FlowMatchEulerDiscreteScheduler) -> Any:
    made = kind(shift=shift)
    made.set_timesteps(STEPS)
    return made


@pytest.fixture
def pipe() -> GuidedPipeline:
    return GuidedPipeline(ToyModel(), scheduler_of())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    levels = read_noise_levels(scheduler_of())
    return tuned_file(tmp_path, "ToyModel", {"width": 1}, scheduler=EULER, noise_levels=levels, guidance=5.0)


def run(pipe: Any, steps: int = STEPS, guidance: float = 5.0) -> None:
    pipe._guidance_scale = guidance
    list(denoise(pipe.transformer, lambda _: [COND, UNCOND], scheduler=pipe.scheduler, context="name", steps=steps))
    pipe.maybe_free_model_hooks()  # as pipelines do at their end


def computed(cache: navicache.Cache) -> tuple[str, tuple[int, ...]]:
    newest = cache.trace.runs[-1]
    return newest.policy, newest.computed_steps()


def test_a_run_that_fits_computes_the_steps_of_the_file(pipe, path, caplog):
    with navicache.enable(pipe, settings=path) as cache:
        run(pipe)
        assert computed(cache) == ("schedule", COMPUTED)
        assert cache.trace.runs[-1].notes == () and cache.notes == ()
    with navicache.enable(pipe, settings=str(path), quality="high") as cache:
        run(pipe)
        assert computed(cache) == ("schedule", HIGH)
    assert not caplog.records


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda pipe: run(pipe, steps=12), "12 steps, not 16"),
        (lambda pipe: run(pipe, guidance=7.5), "guidance 7.5, not 5.0"),
        (
            lambda pipe: (pipe.register_modules(scheduler=scheduler_of(shift=5.0)), run(pipe)),
            "other noise levels (shift, spacing or sigmas of the sampler)",
        ),
        (
            lambda pipe: (pipe.register_modules(scheduler=scheduler_of(kind=OtherScheduler)), run(pipe)),
            f"OtherScheduler, not {EULER}",
        ),
    ],
)
def test_a_run_that_departs_takes_the_default_and_says_so(pipe, path, caplog, change, said):
    own = pipe.scheduler
    with navicache.enable(pipe, settings=path) as cache, caplog.at_level(logging.WARNING, "navicache"):
        change(pipe)
        departed = cache.trace.runs[-1]
        steps = departed.length
        assert (departed.policy, departed.computed) == ("inertial", round(steps / SPEEDUP))
        assert departed.settings["speedup"] == SPEEDUP
        (note,) = departed.notes
        assert said in note and "navicache tune" in note
        assert said in " ".join(cache.summary().split())
        change(pipe)  # the same once more: noted, not said again
        assert said in cache.trace.runs[-1].notes[0]
        assert [record.getMessage() for record in caplog.records] == [note]
        pipe.register_modules(scheduler=own)
        run(pipe)  # and one that fits
        assert computed(cache) == ("schedule", COMPUTED) and cache.trace.runs[-1].notes == ()
    assert [record.policy for record in cache.trace.runs] == ["inertial", "inertial", "schedule"]


def test_each_different_departure_is_said_once(pipe, path, caplog):
    with navicache.enable(pipe, settings=path):
        for steps, guidance in ((12, 5.0), (12, 5.0), (10, 5.0), (12, 7.5), (16, 5.0), (10, 5.0)):
            run(pipe, steps, guidance)
    assert [record.getMessage().partition("(")[2].partition(")")[0] for record in caplog.records] == [
        "12 steps, not 16",
        "10 steps, not 16",
        "12 steps, not 16; guidance 7.5, not 5.0",
    ]


def test_the_question_is_asked_once_a_run(pipe, path, monkeypatch):
    asked: list[int | None] = []
    kind = type(tuned("ToyModel").run)
    original = kind.explain_departure
    monkeypatch.setattr(kind, "explain_departure", lambda *args: asked.append(args[1]) or original(*args))
    with navicache.enable(pipe, settings=path):
        run(pipe)
        run(pipe, steps=12)
    assert asked == [STEPS, 12]


def test_a_departing_run_is_that_of_the_default(pipe, path):
    def latents(**how: Any) -> list[torch.Tensor]:
        with navicache.enable(pipe, **how):
            pipe._guidance_scale = 1.0
            calls = denoise(pipe.transformer, lambda _: [COND], scheduler=pipe.scheduler, context="name", steps=12)
            return [call.output.clone() for call in calls]

    for one, other in zip(latents(settings=path), latents(speedup=SPEEDUP), strict=True):
        assert torch.equal(one, other)


def test_a_model_alone_knows_less_of_its_run(path, caplog):
    model = ToyModel()
    with navicache.enable(model, settings=path, steps=STEPS) as cache:
        list(denoise(model, lambda _: [COND, UNCOND], context="name"))
    assert computed(cache) == ("schedule", COMPUTED) and not caplog.records
    with navicache.enable(model, settings=path, steps=12) as cache:
        list(denoise(model, lambda _: [COND, UNCOND], context="name", steps=12))
    assert computed(cache)[0] == "inertial"


def test_a_plain_module_is_known_by_its_class(tmp_path):
    toy, path = Toy(), tuned_file(tmp_path, "Toy", {"anything": 3})
    with navicache.enable(toy, settings=path, steps=STEPS) as cache:
        list(denoise(toy, lambda _: [COND]))
    assert computed(cache) == ("schedule", COMPUTED)


def test_a_function_is_known_by_its_name(tmp_path):
    def velocity(x: torch.Tensor, t: float) -> torch.Tensor:
        return -x

    with navicache.enable(velocity, settings=tuned_file(tmp_path, "velocity"), steps=STEPS) as cache:
        for step in range(STEPS):
            cache(torch.ones(1, 4) * (STEPS - step), float(STEPS - step))
    assert computed(cache) == ("schedule", COMPUTED)
    with pytest.raises(ValueError, match="found on a other, and the model is a velocity"):
        navicache.enable(velocity, settings=tuned_file(tmp_path, "other"))


@pytest.mark.parametrize(
    ("model", "config", "said"),
    [
        ("WanTransformer3DModel", {"width": 1}, "found on a WanTransformer3DModel, and the model is a ToyModel"),
        ("ToyModel", {"width": 2}, r"found on another ToyModel \(width differ\)"),
    ],
)
def test_another_model_is_refused_before_anything_changes(pipe, tmp_path, model, config, said):
    path = tuned_file(tmp_path, model, config)
    before = dict(vars(pipe.transformer))
    for target in (pipe, pipe.transformer):
        with pytest.raises(ValueError, match=said):
            navicache.enable(target, settings=path)
    assert vars(pipe.transformer) == before


def test_a_host_class_is_known_by_its_sizes(tmp_path):
    class WanModel(Toy):
        def __init__(self, layers: int) -> None:
            super().__init__()
            self.in_dim, self.num_layers, self.text_dim = 16, layers, 4096

    wan = {"in_channels": 16, "num_layers": 30, "text_dim": 4096, "ffn_dim": 8960}
    path = tuned_file(tmp_path, "WanTransformer3DModel", wan)
    navicache.enable(WanModel(30), settings=path).disable()
    large = WanModel(40)
    with pytest.raises(ValueError, match=r"another WanTransformer3DModel \(num_layers differ\)"):
        navicache.enable(large, settings=path)
    assert find_attachment(large) is None
