"""A module of two outputs through `enable`: compiled, offloaded, batched, in shadow mode, saved and explained."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from accelerate import cpu_offload
from torch import Tensor, nn

import navicache
from navicache.records import StepRecord
from navicache.studio.explanations import explain_step

STEPS = 24
POLICIES: dict[str, dict[str, Any]] = {
    "inertial": {"speedup": 2.0},
    "max_error": {"max_error": 0.05},
    "easycache": {"policy": "easycache", "threshold": 0.1, "align_steps": 3},
    "static": {"policy": "static", "interval": 3},
}
EVERY = pytest.mark.parametrize("name", POLICIES)


class Joint(nn.Module):
    """Video and sound, which hear of each other."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.video, self.sound = nn.Linear(6, 6), nn.Linear(4, 4)

    def forward(self, hidden_states: Tensor, audio_hidden_states: Tensor, timestep: Tensor) -> dict[str, Tensor]:
        phase = timestep.reshape(-1, 1, 1) / STEPS
        sound = torch.cos(3 * phase) * self.sound(audio_hidden_states)
        return {"video": torch.sin(self.video(hidden_states) + phase) + sound.mean(), "sound": sound}


def generate(model: Any, rows: int = 1, truths: list[Tensor] | None = None) -> list[dict[str, Tensor]]:
    """What is returned at every step, and what sound should have been; each row has a speed of its own."""
    speed, plain = 1 + 0.3 * torch.arange(rows).reshape(-1, 1, 1), Joint()
    video, sound = torch.linspace(1, 2, 18).reshape(1, 3, 6) * speed, torch.linspace(2, 3, 20).reshape(1, 5, 4) * speed
    made = []
    with torch.no_grad():
        for i in range(STEPS):
            given = {"audio_hidden_states": sound, "timestep": torch.full((rows,), float(STEPS - i))}
            made.append(model(video, **given))
            if truths is not None:
                truths.append(plain(video, **given)["sound"])
            video, sound = video - made[-1]["video"] * speed / STEPS, sound - made[-1]["sound"] * speed / STEPS
    return made


def cached(name: str, **options: Any) -> tuple[list[dict[str, Tensor]], navicache.Trace]:
    model = Joint()
    with navicache.enable(model, **POLICIES[name], steps=STEPS, **options) as cache:
        return generate(model), cache.trace


def assert_same(made: list[dict[str, Tensor]], expected: list[dict[str, Tensor]]) -> None:
    for a, b in zip(made, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


@pytest.fixture
def forget_graphs() -> Iterator[None]:
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Dynamo
        yield
    torch._dynamo.reset()


@EVERY
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("enable_first", [True, False])
@pytest.mark.usefixtures("forget_graphs")
def test_compiled_both_outputs_are_the_same(name: str, backend: str, enable_first: bool) -> None:
    expected, trace = cached(name)
    model = Joint()
    if not enable_first:
        model.compile(backend=backend)
    with navicache.enable(model, **POLICIES[name], steps=STEPS) as cache:
        if enable_first:
            model.compile(backend=backend)
        assert_same(generate(model), expected)
        assert cache.trace.runs[0].computed_steps() == trace.runs[0].computed_steps()
    assert trace.runs[0].computed < STEPS


@EVERY
@pytest.mark.parametrize("enable_first", [True, False])
def test_offloaded_both_outputs_are_the_same(name: str, enable_first: bool) -> None:
    """Weights on the meta device, which accelerate's hooks fill in at every call of a submodule."""
    expected, trace = cached(name)
    model = Joint()
    cache = navicache.enable(model, **POLICIES[name], steps=STEPS) if enable_first else None
    cpu_offload(model, torch.device("cpu"))
    cache = cache or navicache.enable(model, **POLICIES[name], steps=STEPS)
    assert all(weight.is_meta for weight in model.parameters())
    for _ in range(2):
        assert_same(generate(model), expected)
    assert [run.computed_steps() for run in cache.trace.runs] == [trace.runs[0].computed_steps()] * 2


@EVERY
def test_kept_on_another_device_in_another_dtype_both_are_near(name: str) -> None:
    expected, _ = cached(name)
    made, trace = cached(name, keep_device="cpu", keep_dtype=torch.bfloat16)
    assert trace.runs[0].computed < STEPS
    for a, b in zip(made, expected, strict=True):
        for key, value in b.items():
            assert a[key].dtype == value.dtype
            assert (a[key] - value).abs().mean() < 0.05 * value.abs().mean()


@EVERY
@pytest.mark.parametrize("shadow", ["cached", "full"])
def test_shadow_mode_knows_the_true_error_of_every_row_and_output(name: str, shadow: Any) -> None:
    """`cached` goes on as the cached run, `full` as the plain one; errors are those of each sample's own rows."""
    model, rows = Joint(), 3
    truths: list[Tensor] = []
    plain = generate(model, rows)
    with navicache.enable(model, **POLICIES[name], steps=STEPS, shadow=shadow) as cache:
        made = generate(model, rows, truths)
        (run,) = cache.trace.runs
    if shadow == "full":
        assert all(torch.equal(a[key], b[key]) for a, b in zip(made, plain, strict=True) for key in b)
    else:
        with navicache.enable(model, **POLICIES[name], steps=STEPS):
            assert all(torch.equal(a["sound"], b["sound"]) for a, b in zip(generate(model, rows), made, strict=True))
    reused = [step for step in run.steps if not step.computed]
    assert {step.sample for step in reused} == set(range(run.samples))
    for step in reused if shadow == "cached" else []:
        of_sample = slice(None) if run.samples == 1 else slice(step.sample, step.sample + 1)
        truth, prediction = truths[step.index][of_sample], made[step.index]["sound"][of_sample]
        error = (truth - prediction).abs().mean() / truth.abs().mean()
        assert step.other_errors == {"sound": pytest.approx(error.item(), rel=1e-4)}
    assert all(set(step.other_errors or ()) == {"sound"} for step in reused)
    assert run.samples == (1 if name == "static" else rows)


@EVERY
def test_the_trace_is_saved_and_explained_with_every_error(name: str) -> None:
    model = Joint()
    with navicache.enable(model, **POLICIES[name], steps=STEPS, shadow="cached") as cache:
        generate(model)
        trace, text = cache.trace, cache.summary()
    assert navicache.Trace.from_json(trace.to_json()) == trace
    assert '"other_errors": {"sound": ' in json.dumps(json.loads(trace.to_json()))
    assert any(re.search(r"reuse +sound$", line) for line in text.splitlines()), "a column of its own"
    step = next(step for step in trace.runs[0].steps if not step.computed)
    assert f"that of sound by {step.other_errors['sound']:.1%}" in explain_step(trace.runs[0], step)


def test_a_step_that_another_output_computes_is_explained() -> None:
    step = StepRecord(index=4, stream="0", computed=True, reason="error of sound")
    _, trace = cached("max_error")
    assert explain_step(trace.runs[0], step) == "Step 4, computed: error of sound."
