"""Several calls a step, batched or not: every conditioning is predicted from its own past."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from tests.integrations.comfyui.guider import Cond, Guider
from tests.integrations.comfyui.loops import counts, generate, latents, levels, relative, report_of, sampler
from tests.integrations.comfyui.standin import Model, Patcher
from torch import Tensor

from navicache_comfyui import attach

LEFT, RIGHT, WIDE = slice(0, 4), slice(4, 8), slice(2, 8)
CONTROL = torch.full((1, 1, 1, 1), 0.4)


def areas() -> dict[str, list[Cond]]:
    """ComfyUI makes a negative for each area, and leaves the positive's uuid on it."""
    positive = [Cond(0.8, LEFT), Cond(-0.9, RIGHT), Cond(0.3, WIDE)]
    return {"positive": positive, "negative": [replace(cond, pull=-0.2) for cond in positive]}


SITUATIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "one call for both": dict,
    "a call each": lambda: {"batched": lambda sigma: False},
    "cfg 1": lambda: {"cfg": 1.0},
    "no negative": lambda: {"negative": []},
    "two prompts": lambda: {"positive": [Cond(0.8), Cond(-0.6)]},
    "two prompts, a call each": lambda: {"positive": [Cond(0.8), Cond(-0.6)], "batched": lambda sigma: False},
    "areas": areas,
    "areas, a call each": lambda: {**areas(), "batched": lambda sigma: False},
    "ControlNet": lambda: {"positive": [Cond(0.8, control=CONTROL)]},
    "batch": lambda: {"noise": latents(3, 4, 3, 8)},
    "batch, a call each": lambda: {"noise": latents(3, 4, 3, 8), "batched": lambda sigma: False},
    "batch of areas": lambda: {**areas(), "noise": latents(2, 4, 3, 8)},
}


@pytest.mark.parametrize("loop", ["euler", "heun"])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_conditioning_has_its_own_past(situation: str, loop: str) -> None:
    how = SITUATIONS[situation]()
    plain, model = Patcher(Model()), Patcher(Model())
    truth = generate(plain, loop, **how)
    patched = attach(model, speedup=2.0)
    assert relative(generate(patched, loop, **how), truth) < 0.03
    report = report_of(patched)
    levels_computed = {"euler": 10, "heun": 16}[loop]
    assert all(run.computed / run.samples == levels_computed for run in report.trace.runs)
    asked, called = (len(patcher.model.diffusion_model.calls) for patcher in (plain, model))
    assert abs(called - asked / 2) <= asked / 20


def test_areas_are_told_apart_by_their_uuids() -> None:
    patched = attach(Patcher(Model()), speedup=2.0)
    generate(patched, **areas(), batched=lambda sigma: False)
    names = [run.streams for run in report_of(patched).trace.runs]
    assert names == [("cond", "cond 2", "uncond", "uncond 2"), ("cond 3", "uncond 3")]
    assert any("2 shapes" in note for note in report_of(patched).notes)


def test_a_prompt_that_takes_over_in_mid_run() -> None:
    """A conditioning that has not been called yet is computed, whatever the others decide."""
    early, late = Cond(0.8, levels=(0.5001, 1.0)), Cond(-0.7, levels=(0.0, 0.5))
    how: dict[str, Any] = {"positive": [early, late], "batched": lambda sigma: False}
    patched = attach(Patcher(Model()), speedup=2.0)
    assert relative(generate(patched, **how), generate(Patcher(Model()), **how)) < 0.03
    (run,) = report_of(patched).trace.runs
    assert all(step.computed for step in run.steps_of(stream="cond 2")[:2])
    assert not all(step.computed for step in run.steps_of(stream="cond 2"))


def test_memory_for_one_call_in_some_steps_only() -> None:
    """ComfyUI puts guidance into one call or two as memory allows: what it left out of a step begins anew."""
    patched = attach(Patcher(Model()), speedup=2.0)
    how = {"batched": lambda sigma: not 0.4 < sigma < 0.8}
    assert relative(generate(patched, **how), generate(Patcher(Model()), **how)) < 0.03
    assert len(report_of(patched).trace.runs) == 3
    assert any("2 shapes" in note for note in report_of(patched).notes)


class Perturbed(Guider):
    """Guidance that calls the model once more for a conditioning that was called already."""

    def __call__(self, x: Tensor, sigma: Tensor) -> Tensor:
        timestep = sigma.reshape(1).repeat(x.shape[0])
        plain = self.by_role([self.positive], x, timestep)[0]
        weak = self.by_role([self.positive], 0.5 * x, timestep)[0]
        return plain + 0.5 * (plain - weak)


def test_a_second_call_of_a_conditioning_is_a_stream_of_its_own() -> None:
    def run(model: Patcher) -> Tensor:
        with torch.no_grad():
            return Perturbed(model, [Cond(0.8)]).sample(latents(), sampler("euler"), levels())

    patched = attach(Patcher(Model()), speedup=2.0)
    assert relative(run(patched), run(Patcher(Model()))) < 0.03
    (record,) = report_of(patched).trace.runs
    assert record.streams == ("cond", "cond#2")
    assert counts(patched) == [(20, 10)]


def test_samples_of_a_batch_are_computed_together() -> None:
    """Under an error bound each sample decides for itself; a call that one of them needs serves all."""
    model = Patcher(Model())
    patched = attach(model, max_error=0.02)
    noise = torch.cat([latents(), 3 * latents(seed=5)])
    truth = generate(Patcher(Model()), noise=noise)
    assert relative(generate(patched, noise=noise), truth) < 0.02
    rows = {rows for _, rows, _ in model.model.diffusion_model.calls}
    assert rows == {4}
    assert len(model.model.diffusion_model.calls) < 20
