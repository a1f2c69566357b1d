"""A cache that reuses nothing, or that is off again, leaves no trace in the output bits or on the model."""

from __future__ import annotations

import pytest
import torch
from tests.integrations.common import (
    REUSING,
    STEPS,
    attributes,
    counted,
    each_pipeline,
    newest,
    plain,
    reused,
    transformers,
)
from tests.tiny import TINY

import navicache


@each_pipeline
@pytest.mark.parametrize(("policy", "align_steps"), [("navicache", 2), ("navicache", 3), ("inertial", 3)])
def test_threshold_zero_is_bit_exact(name: str, policy: str, align_steps: int) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, policy, threshold=0.0, align_steps=align_steps)
    assert torch.equal(TINY[name].call(pipe, steps=STEPS), plain(name))
    assert reused(cache) == 0
    assert sum(run.length for run in newest(cache).values()) == STEPS
    assert "nothing was reused" in cache.summary()


@each_pipeline
@pytest.mark.parametrize("policy", ["navicache", "inertial"])
def test_a_cached_run_reuses_steps_and_runs_the_transformer_less(name: str, policy: str) -> None:
    pipe = TINY[name].build()
    with counted(pipe) as calls:
        TINY[name].call(pipe, steps=STEPS)
    full = len(calls)
    cache = navicache.enable(pipe, policy, **REUSING)
    with counted(pipe) as calls:
        latents = TINY[name].call(pipe, steps=STEPS)
    assert not torch.equal(latents, plain(name))
    assert latents.isfinite().all()
    assert reused(cache) >= 2
    lines = [step for run in newest(cache).values() for step in run.steps]
    assert len(lines) == full
    assert len(calls) == sum(step.computed for step in lines) < full


@each_pipeline
def test_disable_gives_the_bits_back(name: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    cached = TINY[name].call(pipe, steps=STEPS)
    cache.disable()
    assert not torch.equal(cached, plain(name))
    with counted(pipe) as calls:
        assert torch.equal(TINY[name].call(pipe, steps=STEPS), plain(name))
    assert len(calls) == sum(len(run.steps) for run in newest(cache).values())


@each_pipeline
def test_disable_leaves_nothing_on_a_model_that_has_run_before(name: str) -> None:
    pipe = TINY[name].build()
    TINY[name].call(pipe, steps=2)
    before = attributes(pipe)
    with navicache.enable(pipe, **REUSING):
        TINY[name].call(pipe, steps=STEPS)
    assert attributes(pipe) == before


@each_pipeline
def test_disable_leaves_nothing_on_a_new_model(name: str) -> None:
    pipe = TINY[name].build()
    before = attributes(pipe)
    navicache.enable(pipe, **REUSING).disable()
    assert attributes(pipe) == before
    with navicache.enable(pipe, **REUSING):
        TINY[name].call(pipe, steps=STEPS)
    for transformer in transformers(pipe):
        assert {"forward", "_diffusers_hook"}.isdisjoint(vars(transformer))


@each_pipeline
def test_disable_twice_leaves_nothing_either(name: str) -> None:
    pipe = TINY[name].build()
    before = attributes(pipe)
    cache = navicache.enable(pipe, **REUSING)
    cache.disable()
    cache.disable()
    assert attributes(pipe) == before


# diffusers 0.42.1 hands a tensor to numpy.array in a way numpy 2 warns about.
QUIET_DPM = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")


@pytest.mark.parametrize("scheduler", ["unipc", pytest.param("dpm", marks=QUIET_DPM), "euler"])
def test_every_scheduler_of_wan(scheduler: str) -> None:
    build = (("scheduler", scheduler),)
    pipe = TINY["wan"].build(scheduler=scheduler)
    with navicache.enable(pipe, threshold=0.0, align_steps=3):
        assert torch.equal(TINY["wan"].call(pipe, steps=STEPS), plain("wan", build))
    with navicache.enable(pipe, **REUSING) as cache:
        cached = TINY["wan"].call(pipe, steps=STEPS)
        again = TINY["wan"].call(pipe, steps=STEPS)
    assert torch.equal(cached, again)
    assert not torch.equal(cached, plain("wan", build))
    assert reused(cache) >= 2
    assert [(run.length, run.total, run.finished) for run in cache.trace.runs] == [(STEPS, STEPS, True)] * 2


@pytest.mark.parametrize("guidance", [True, False])
def test_bfloat16(guidance: bool) -> None:
    build = (("dtype", torch.bfloat16),)
    expected = plain("wan", build, guidance=guidance)
    pipe = TINY["wan"].build(dtype=torch.bfloat16)
    outputs: list[torch.dtype] = []
    pipe.transformer.register_forward_hook(lambda module, args, output: outputs.append(output[0].dtype))
    with navicache.enable(pipe, threshold=0.0, align_steps=2):
        assert torch.equal(TINY["wan"].call(pipe, steps=STEPS, guidance=guidance), expected)
    with navicache.enable(pipe, **REUSING) as cache:
        cached = TINY["wan"].call(pipe, steps=STEPS, guidance=guidance)
    assert reused(cache) >= 2
    assert cached.isfinite().all()
    assert not torch.equal(cached, expected)
    assert cached.dtype == expected.dtype
    assert set(outputs) == {torch.bfloat16}  # the reused ones too
    assert (cached - expected).abs().mean() < 0.5 * expected.abs().mean()
