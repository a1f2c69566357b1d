"""NaN and infinity: such steps are computed, the summary says so, and the rest of the run is none the worse."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from tests.integrations.common import REUSING, STEPS, assert_same, counted, each_pipeline, fresh, generate, newest
from tests.integrations.toys import COND, KNOBS, Toy, ToyModel, denoise
from tests.tiny import TINY
from torch import Tensor

import navicache

SAYS = "a measurement was NaN or infinite"


@each_pipeline
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_latents_that_break_in_mid_run(name: str, value: float) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)

    def spoil(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        if index == 5:
            kwargs["latents"] = kwargs["latents"].clone()
            kwargs["latents"][(0,) * kwargs["latents"].ndim] = value
        return kwargs

    with counted(pipe) as calls:
        TINY[name].call(pipe, steps=STEPS, callback_on_step_end=spoil)
    runs = newest(cache).values()
    assert len(calls) == sum(step.computed for run in runs for step in run.steps)
    late = [step for run in runs for step in run.steps if step.index > 5]
    assert len({step.index for step in late}) == STEPS - 6
    assert all(step.computed for step in late)  # every later latent is spoilt too
    assert SAYS in " ".join(cache.summary().split())
    assert navicache.Trace.from_json(cache.trace.to_json()).to_json() == cache.trace.to_json()
    assert_same(generate(cache, name, pipe), fresh(name))
    assert SAYS not in cache.summary()


class Flaky:
    """Makes one answer of a toy useless."""

    def __init__(self, at: int, value: float) -> None:
        self.at, self.value = at, value

    def __call__(self, module: Any, args: Any, output: Any) -> Any:
        if module.calls - 1 != self.at:
            return output
        tensor = next(iter(output.values())) if isinstance(output, dict) else output
        broken = tensor.clone()
        broken[..., 0] = self.value
        return {"sample": broken} if isinstance(output, dict) else broken


class FlakyToy(Toy):
    """A plain module with one useless answer."""

    flaky: Flaky

    def forward(self, x: Tensor, timestep: Tensor, encoder_hidden_states: Tensor, scale: float = 1.0) -> Tensor:
        return self.flaky(self, (), super().forward(x, timestep, encoder_hidden_states, scale))


class FlakyModel(ToyModel):
    """A diffusers model with one useless answer."""

    flaky: Flaky

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.flaky(self, args, super().forward(*args, **kwargs))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("at", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["module", "model"])
@pytest.mark.parametrize("policy", ["navicache", "inertial"])
def test_one_useless_output(policy: str, kind: str, at: int, value: float) -> None:
    """The latent does not depend on the output here, so only this one answer is useless."""
    model: Any = FlakyToy() if kind == "module" else FlakyModel()
    model.flaky = Flaky(at, value)
    call = navicache.CallSpec(latent=0, time=1, conditioning=(2,))
    with navicache.enable(model, policy, call=call, longest_reuse=3, **KNOBS) as cache:
        calls = list(denoise(model, lambda step: [COND]))
    broken = [call for call in calls if not call.output.isfinite().all()]
    assert [call.computed for call in broken] == [True]  # never reused
    (run,) = cache.trace.runs
    after = calls[broken[0].step + 1]
    assert after.computed
    assert any(not call.computed for call in calls[after.step :]), "later steps are reused again"
    assert SAYS in " ".join(cache.summary().split())
    assert run.length == len(calls)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_one_spoilt_sample_of_a_batch_is_its_own_affair(value: float) -> None:
    """The others go on as if it were not there."""
    pipe = TINY["wan"].build()
    cache = navicache.enable(pipe, **REUSING)

    def spoil(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        if index == 5:
            kwargs["latents"] = kwargs["latents"].clone()
            kwargs["latents"][1] = value
        return kwargs

    latents = TINY["wan"].call(pipe, steps=STEPS, batch=2, callback_on_step_end=spoil)
    (run,) = newest(cache).values()
    assert latents[0].isfinite().all()
    assert not latents[1].isfinite().any()
    alone = generate(cache, "wan", pipe, prompt="a cat 0")
    assert run.computed_steps(0) == newest(cache)["WanTransformer3DModel"].computed_steps()
    assert run.computed_steps(1)[-6:] == tuple(range(6, STEPS))
    torch.testing.assert_close(latents[0], alone.latents[0], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("step", [0, 1])
def test_branches_in_one_call_stay_together_when_nothing_is_finite(step: int) -> None:
    """NaN equals nothing, so equal rows do not look equal."""
    pipe = TINY["ltx"].build()
    cache = navicache.enable(pipe, **REUSING)

    def spoil(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        if index == step:
            kwargs["latents"] = torch.full_like(kwargs["latents"], math.nan)
        return kwargs

    TINY["ltx"].call(pipe, steps=STEPS, callback_on_step_end=spoil)
    (run,) = newest(cache).values()
    assert run.computed_steps() == tuple(range(STEPS))
    assert SAYS in " ".join(cache.summary().split())
