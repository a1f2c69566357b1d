"""One run after the other, or one within the other: each is its own, and leaves nothing behind."""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import Any

import pytest
import torch
from tests.integrations.comfyui.guider import Cond, Guider
from tests.integrations.comfyui.loops import counts, generate, latents, levels, relative, report_of, sample_euler
from tests.integrations.comfyui.standin import Model, Patcher
from torch import Tensor

from navicache_comfyui import attach, last_run

LARGE = latents(1, 4, 3, 16)


class Interrupted(Exception):
    """As ComfyUI says that the user pressed stop."""


def stopped(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    sample_euler(model, x, sigmas[:9])
    raise Interrupted


def tensors() -> int:
    gc.collect()
    return sum(issubclass(type(thing), Tensor) for thing in gc.get_objects())


def test_at_speed_1_nothing_is_attached() -> None:
    model = Patcher(Model())
    truth = generate(model)
    for clone in (attach(model, speedup=1.0), attach(attach(model, speedup=2.0), speedup=1)):
        assert not any(clone.wrappers.values())
        assert torch.equal(generate(clone), truth)
        assert last_run(clone) is None


def test_the_model_itself_stays_as_it_was() -> None:
    model = Patcher(Model())
    truth, before = generate(model), vars(model.model.diffusion_model).keys()
    patched = attach(model, speedup=3.0)
    assert not torch.equal(generate(patched), truth)
    assert torch.equal(generate(model), truth)
    assert (model.wrappers, model.model_options) == ({}, {"transformer_options": {}})
    assert vars(model.model.diffusion_model).keys() == before
    assert last_run(model) is None


def test_two_prompts_in_the_queue() -> None:
    patched, fresh = attach(Patcher(Model()), speedup=2.0), attach(Patcher(Model()), speedup=2.0)
    other = {"positive": [Cond(-0.5)], "noise": latents(seed=1)}
    generate(patched)
    assert torch.equal(generate(patched, **other), generate(fresh, **other))
    assert counts(patched) == [(20, 10)]


def test_another_size() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    generate(patched)
    video = generate(patched, noise=LARGE, sigmas=levels(30))
    assert counts(patched) == [(30, 15)]
    assert torch.equal(video, generate(attach(Patcher(Model()), speedup=2.0), noise=LARGE, sigmas=levels(30)))


def test_two_experts_in_two_samplers() -> None:
    """Wan 2.2: one model down to a level, the other from there; each sampler has its own steps."""
    high, low = (attach(Patcher(Model()), speedup=2.0) for _ in range(2))
    plain = Patcher(Model())
    sigmas = levels()
    half = generate(high, sigmas=sigmas[:11])
    video = generate(low, noise=half / sigmas[10], sigmas=sigmas[10:])
    assert [counts(high), counts(low)] == [[(10, 5)], [(10, 5)]]
    truth = generate(plain, noise=generate(plain, sigmas=sigmas[:11]) / sigmas[10], sigmas=sigmas[10:])
    assert relative(video, truth) < 0.05


def test_half_of_a_run_is_not_too_short_for_a_preset() -> None:
    """A preset reuses two of ten steps, as a distilled model has them, but half of the first ten of twenty."""
    patched = attach(Patcher(Model()), mode="mid")
    generate(patched, sigmas=levels(10))
    assert counts(patched) == [(10, 8)]
    generate(patched, sigmas=levels()[:11])
    assert counts(patched) == [(10, 5)]
    generate(patched, sigmas=levels()[10:])
    assert counts(patched) == [(10, 5)]


def test_two_evaluations_a_step_and_an_end_before_the_last_level() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    generate(patched, "heun", sigmas=levels()[:13])
    assert counts(patched) == [(13, 10)]  # the last level is evaluated once
    assert (report_of(patched).evaluations, report_of(patched).computed) == (24, 12)


def test_denoise_below_1() -> None:
    patched, plain = attach(Patcher(Model()), speedup=2.0), Patcher(Model())
    sigmas = levels(40)[-21:]
    assert relative(generate(patched, sigmas=sigmas), generate(plain, sigmas=sigmas)) < 0.03
    assert counts(patched) == [(20, 10)]


def test_one_model_in_two_samplers() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    first, second = patched.clone(), patched.clone()
    alone = generate(attach(Patcher(Model()), speedup=2.0))
    assert torch.equal(generate(first), alone)
    assert torch.equal(generate(second), alone)
    assert last_run(first) is last_run(second) is last_run(patched)


def test_a_run_within_a_run() -> None:
    """A node that samples while another does: each run keeps its state in its own options."""
    patched = attach(Patcher(Model()), speedup=2.0)
    inner: list[Tensor] = []

    def nesting(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
        x = sample_euler(model, x, sigmas[:9])
        inner.append(generate(patched, noise=latents(seed=3)))
        return sample_euler(model, x, sigmas[8:])

    video = generate(patched, nesting)
    fresh = attach(Patcher(Model()), speedup=2.0)
    assert torch.equal(video, generate(fresh))
    assert torch.equal(inner[0], generate(fresh, noise=latents(seed=3)))


def test_an_interrupted_run() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    with pytest.raises(Interrupted):
        generate(patched, stopped)
    report = report_of(patched)
    assert report.notes == ("the run did not finish",)
    assert (report.evaluations, report.trace.runs[0].finished) == (8, False)
    assert torch.equal(generate(patched), generate(attach(Patcher(Model()), speedup=2.0)))


def test_a_model_that_fails() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    broken: dict[str, Any] = {"positive": [Cond(0.8, control=torch.zeros(5, 5, 5, 5, 5))], "negative": []}
    with pytest.raises(RuntimeError):
        generate(patched, cfg=1.0, **broken)
    assert report_of(patched).notes == ("the run did not finish",)
    generate(patched)
    assert counts(patched) == [(20, 10)]


@pytest.mark.parametrize("loop", ["euler", "heun", stopped])
def test_no_tensor_is_left(loop: Any) -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    before = tensors()
    with suppress(Interrupted):
        generate(patched, loop)
    assert tensors() == before
    assert report_of(patched).evaluations > 0


def test_a_call_outside_of_a_run() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    options = {"wrappers": patched.wrappers}
    x, sigma = latents(), torch.tensor([0.5])
    args = (x, sigma, None, torch.tensor([0.1]), None)
    assert torch.equal(patched.model.apply_model(*args, transformer_options=options), Model().apply_model(*args))
