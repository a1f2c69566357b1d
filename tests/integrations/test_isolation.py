"""Caches belong to instances: two pipelines of one class, and models without a pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
import torch
from tests.integrations.common import REUSING, STEPS, assert_same, counted, fresh, generate, newest, params, plain
from tests.tiny import NEGATIVE, TINY, flow_scheduler
from tests.tiny.common import embed

import navicache


def loop(pipe: Any, *, context: str = "none", seed: int = 0, order: tuple[int, ...] = (0, 1)) -> Iterator[torch.Tensor]:
    """A Wan run written by hand, step by step; `order` tells which branch is called first."""
    generator = torch.Generator().manual_seed(seed)
    latents = torch.randn((1, 4, 3, 6, 8), generator=generator)
    texts = [("cond", embed(pipe, ["a cat"], 12, 16)), ("uncond", embed(pipe, [NEGATIVE], 12, 16))]
    scheduler = flow_scheduler("euler")  # the cache does not see this one
    scheduler.set_timesteps(STEPS)
    for index, time in enumerate(scheduler.timesteps):
        outputs = {}
        for branch in order:
            name, text = texts[branch]
            with in_context(pipe.transformer, context, name, index), torch.no_grad():
                outputs[name] = pipe.transformer(
                    hidden_states=latents, timestep=time.expand(1), encoder_hidden_states=text, return_dict=False
                )[0]
        guided = outputs["uncond"] + 4 * (outputs["cond"] - outputs["uncond"])
        latents = scheduler.step(guided, time, latents, return_dict=False)[0]
        yield latents


def in_context(transformer: Any, context: str, name: str, index: int) -> AbstractContextManager[None]:
    told = {"step_index": index, "num_inference_steps": STEPS} if context == "index" else {}
    return nullcontext() if context == "none" else transformer.cache_context(name, **told)


def whole(*args: Any, **kwargs: Any) -> torch.Tensor:
    return list(loop(*args, **kwargs))[-1]


@pytest.mark.parametrize("name", params("wan", "wan22", "zimage", "ltx"))
def test_another_pipeline_of_the_class_is_not_touched(name: str) -> None:
    cached, other = TINY[name].build(), TINY[name].build()
    with navicache.enable(cached, **REUSING) as cache, counted(other) as calls:
        assert torch.equal(TINY[name].call(other, steps=STEPS), plain(name))
        assert not cache.trace.runs
        assert_same(generate(cache, name, cached), fresh(name))
        assert torch.equal(TINY[name].call(other, steps=STEPS), plain(name))
    assert len(calls) == 2 * sum(len(run.steps) for run in newest(cache).values())


@pytest.mark.parametrize("context", ["none", "name", "index"])
def test_two_cached_pipelines_by_turns(context: str) -> None:
    """Step by step in turn, with different thresholds and seeds, and a third one without a cache."""
    expected, traces = [], []
    knobs = [{"threshold": 0.1, "align_steps": 2}, {"threshold": 0.4, "align_steps": 3}]
    for seed, knob in enumerate(knobs):
        pipe = TINY["wan"].build()
        with navicache.enable(pipe.transformer, **knob) as cache:
            expected.append(whole(pipe, context=context, seed=seed))
        traces.append(newest(cache))
    expected.append(whole(TINY["wan"].build(), context=context))
    pipes = [TINY["wan"].build() for _ in range(3)]
    caches = [navicache.enable(pipe.transformer, **knob) for pipe, knob in zip(pipes, knobs, strict=False)]
    loops = [loop(pipe, context=context, seed=seed) for pipe, seed in zip(pipes, (0, 1, 0), strict=True)]
    results = list(zip(*loops, strict=True))[-1]
    assert all(torch.equal(result, wanted) for result, wanted in zip(results, expected, strict=True))
    assert [run["WanTransformer3DModel"].steps for run in map(newest, caches)] == [
        run["WanTransformer3DModel"].steps for run in traces
    ]
    assert traces[0]["WanTransformer3DModel"].computed_steps() != traces[1]["WanTransformer3DModel"].computed_steps()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("context", ["none", "name", "index"])
def test_a_model_without_its_pipeline(context: str, order: tuple[int, ...]) -> None:
    pipe = TINY["wan"].build()
    exact = whole(pipe, order=order)
    with navicache.enable(pipe.transformer, threshold=0.0, align_steps=2):
        assert torch.equal(whole(pipe, context=context, order=order), exact)
    with navicache.enable(pipe.transformer, **REUSING) as cache, counted(pipe) as calls:
        results = [whole(pipe, context=context, order=order) for _ in range(3)]
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])
    assert not torch.equal(results[0], exact)
    assert [run.total for run in cache.trace.runs] == [STEPS if context == "index" else None] * 3
    assert [run.length for run in cache.trace.runs] == [STEPS] * 3
    assert len(calls) == sum(step.computed for run in cache.trace.runs for step in run.steps) < 3 * 2 * STEPS
    assert torch.equal(whole(pipe, context=context, order=order), exact)


def test_the_way_of_telling_streams_apart_does_not_matter() -> None:
    """By context, by conditioning, with or without a number of steps given: the decisions are the same."""
    schedules, results = set(), []
    for context, steps in (("none", STEPS), ("name", STEPS), ("index", None)):
        pipe = TINY["wan"].build()
        with navicache.enable(pipe.transformer, steps=steps, **REUSING) as cache:
            results.append(whole(pipe, context=context))
        (run,) = cache.trace.runs
        schedules.add(run.computed_steps())
    assert len(schedules) == 1
    assert all(torch.equal(result, results[0]) for result in results)


@pytest.mark.parametrize("name", params("wan", "hunyuan", "ltx", "cogvideox", "mochi", "flux", "zimage", "wan_i2v"))
def test_a_bare_transformer_in_its_own_pipeline(name: str) -> None:
    """The cache sits on `pipe.transformer`, the pipeline calls it as always."""
    pipe = TINY[name].build()
    cache = navicache.enable(pipe.transformer, steps=STEPS, **REUSING)
    for _ in range(2):
        latents = TINY[name].call(pipe, steps=STEPS)
        assert torch.equal(latents, fresh(name).latents)
    (run,) = newest(cache).values()
    (expected,) = fresh(name).steps.values()
    assert [(step.index, step.computed) for step in run.steps] == [(step.index, step.computed) for step in expected]
    assert len(cache.trace.runs) == 2


@pytest.mark.parametrize("name", params("flux", "ltx", "zimage"))
def test_a_bare_transformer_after_a_broken_run(name: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe.transformer, steps=STEPS, **REUSING)
    for step in (0, 1, 7):

        def stop(pipe: Any, index: int, time: Any, kwargs: dict, last: int = step) -> dict:
            if index == last:
                raise RuntimeError("broken off")
            return kwargs

        with pytest.raises(RuntimeError, match="broken off"):
            TINY[name].call(pipe, steps=STEPS, prompt="two dogs", seed=5, callback_on_step_end=stop)
        assert torch.equal(TINY[name].call(pipe, steps=STEPS), fresh(name).latents)
        assert torch.equal(
            TINY[name].call(pipe, steps=STEPS, prompt="two dogs"), fresh(name, prompt="two dogs").latents
        )
    (run,) = newest(cache).values()
    assert run.length == STEPS
