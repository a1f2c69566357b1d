"""Guidance and batches in the real pipelines: off, in two calls, in one call; every sample for itself."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
import torch
from diffusers import FlowMatchEulerDiscreteScheduler
from tests.integrations.common import (
    REUSING,
    STEPS,
    each_pipeline,
    fresh,
    generate,
    newest,
    params,
    plain,
    reused,
)
from tests.integrations.toys import ToyModel, ToyPipeline, prompts
from tests.tiny import TINY
from tests.tiny.flux import TOKENS

import navicache

STREAMS = {name: ("cond_uncond",) for name in ("ltx", "cogvideox", "mochi")} | {"zimage": ("0",)}


@each_pipeline
@pytest.mark.parametrize("guidance", [True, False])
def test_streams_are_the_branches(name: str, guidance: bool) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    TINY[name].call(pipe, steps=STEPS, guidance=guidance)
    expected = STREAMS.get(name, ("cond", "uncond") if guidance else ("cond",))
    for run in newest(cache).values():
        assert run.streams == expected
        assert run.samples == 1  # both branches in one call are still one sample
        assert all(run.computed_steps(stream=stream) == run.computed_steps() for stream in run.streams)
    assert reused(cache) > 0


@each_pipeline
def test_guidance_off_is_bit_exact_at_threshold_zero(name: str) -> None:
    pipe = TINY[name].build()
    with navicache.enable(pipe, threshold=0.0, align_steps=2):
        assert torch.equal(TINY[name].call(pipe, steps=STEPS, guidance=False), plain(name, guidance=False))


@each_pipeline
@pytest.mark.parametrize("guidance", [True, False])
def test_every_sample_of_a_batch_is_decided_as_if_alone(name: str, guidance: bool) -> None:
    """The rows that compute are gathered, run and put back where they belong."""
    pipe = TINY[name].build()
    threshold = 0.15 if name in ("ltx", "zimage") else 0.12  # where the four samples part
    cache = navicache.enable(pipe, threshold=threshold, align_steps=2)
    batch = generate(cache, name, pipe, batch=4, guidance=guidance)
    together = newest(cache)
    assert all(run.samples == 4 for run in together.values())
    for sample in range(4):
        single = generate(cache, name, pipe, seed=sample, prompt=f"a cat {sample}", guidance=guidance)
        for model, run in newest(cache).items():
            assert together[model].computed_steps(sample) == run.computed_steps()
        torch.testing.assert_close(batch.latents[sample], single.latents[0], rtol=1e-3, atol=1e-3)
    schedules = {run.computed_steps(sample) for run in together.values() for sample in range(4)}
    assert len(schedules) > len(together), "samples that all decide alike prove nothing here"


@each_pipeline
def test_a_batch_is_bit_exact_at_threshold_zero(name: str) -> None:
    pipe = TINY[name].build()
    with navicache.enable(pipe, threshold=0.0, align_steps=3) as cache:
        assert torch.equal(TINY[name].call(pipe, steps=STEPS, batch=2), plain(name, batch=2))
    assert all(run.samples == 2 for run in newest(cache).values())


def test_arguments_that_happen_to_be_as_long_as_the_batch() -> None:
    """Flux takes one position per text token, without a batch dimension: they belong to all samples."""
    pipe = TINY["flux"].build()
    cache = navicache.enable(pipe, threshold=0.2, align_steps=2)
    batch = generate(cache, "flux", pipe, batch=TOKENS)
    run = newest(cache)["FluxTransformer2DModel"]
    assert len({run.computed_steps(sample) for sample in range(TOKENS)}) > 1
    single = generate(cache, "flux", pipe, seed=TOKENS - 1, prompt=f"a cat {TOKENS - 1}")
    torch.testing.assert_close(batch.latents[-1], single.latents[0], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", params("wan", "zimage"))
def test_the_same_prompt_for_all_samples_keeps_them_apart(name: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    generate(cache, name, pipe, batch=2, numbered=False)
    assert all(run.samples == 2 for run in newest(cache).values())
    assert fresh(name, batch=2, numbered=False).steps == {m: run.steps for m, run in newest(cache).items()}


@pytest.mark.parametrize("name", params("wan", "wan22"))
def test_guidance_switched_off_by_a_callback(name: str) -> None:
    """diffusers' recipe for dynamic guidance: from a step on there is only one branch."""
    off = {"callback_on_step_end": _guidance_off}
    exact = TINY[name].call(TINY[name].build(), steps=STEPS, **off)
    assert not torch.equal(exact, plain(name))
    pipe = TINY[name].build()
    with navicache.enable(pipe, threshold=0.0, align_steps=2):
        assert torch.equal(TINY[name].call(pipe, steps=STEPS, **off), exact)
    with navicache.enable(pipe, **REUSING) as cache:
        results = [TINY[name].call(pipe, steps=STEPS, **off) for _ in range(2)]
    assert torch.equal(*results)
    assert not torch.equal(results[0], exact)
    runs = newest(cache).values()
    assert sorted(step.index for run in runs for step in run.steps_of()) == list(range(STEPS))
    assert len(cache.trace.runs) == 2 * len(runs)
    assert reused(cache) >= 2


def _guidance_off(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    if index == 5:
        pipe._guidance_scale = pipe._guidance_scale_2 = 1.0
    return kwargs


@pytest.mark.parametrize("context", ["none", "name", "index"])
def test_half_a_batch_from_a_step_on(context: str) -> None:
    """The same with both branches in one call: the run goes on, after a short alignment."""
    pipe = ToyPipeline(ToyModel(), FlowMatchEulerDiscreteScheduler())
    cache = navicache.enable(pipe, threshold=1e-3, align_steps=4)
    texts = prompts()
    both = torch.cat([texts[2], texts[1]])
    for _ in range(2):
        pipe.scheduler.set_timesteps(STEPS)
        x, drift = torch.randn((2, 1, 4, 6), generator=torch.Generator().manual_seed(0))
        for index, time in enumerate(pipe.scheduler.timesteps):
            rows, text = (2, both) if index < 6 else (1, texts[1])
            told = {"step_index": index, "num_inference_steps": STEPS} if context == "index" else {}
            with pipe.transformer.cache_context("all", **told) if context != "none" else nullcontext():
                output = pipe.transformer(torch.cat([x] * rows), time.expand(rows), text)["sample"]
            numbers = [round(row.mean().item() / 10) for row in output]
            assert numbers == ([2, 1] if rows == 2 else [1])
            x = pipe.scheduler.step(0.5 * drift, time, x, return_dict=False)[0]
    run = cache.trace.runs[-1]
    assert len(cache.trace.runs) == 2
    assert [step.index for step in run.steps] == list(range(STEPS))
    assert {0, 1, 2, 3, 6, 7, STEPS - 1} <= set(run.computed_steps())
    assert not {4, 8} & set(run.computed_steps())
    assert "aligned anew at step 6" in cache.summary()
