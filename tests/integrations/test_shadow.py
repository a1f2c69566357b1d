"""Shadow mode in real pipelines: the bits of the trajectory it promises, and errors as worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from tests.integrations.common import REUSING, STEPS, counted, fresh, newest, params, plain, reused
from tests.tiny import TINY
from torch import Tensor

import navicache

NAMES = pytest.mark.parametrize("name", params("wan", "wan22", "ltx", "zimage"))  # calls, experts, one call, lists


def shadowed(name: str, shadow: str | None, knobs: dict[str, Any] = REUSING, **call: Any) -> tuple[Tensor, Any, int]:
    """Latents, the cache, and how often the transformers really ran."""
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, shadow=shadow, **knobs)
    with counted(pipe) as calls:
        latents = TINY[name].call(pipe, steps=STEPS, **call)
    return latents, cache, len(calls)


@NAMES
def test_full_has_the_bits_of_the_plain_pipeline(name: str) -> None:
    latents, cache, calls = shadowed(name, "full")
    assert torch.equal(latents, plain(name))
    runs = newest(cache).values()
    assert calls == sum(len(run.steps) for run in runs)
    assert reused(cache) >= 2
    assert {run.shadow for run in runs} == {"full"}
    assert all(step.reuse_error is not None for run in runs for step in run.leading if not step.computed)


@NAMES
def test_cached_has_the_bits_and_the_trace_of_the_cached_run(name: str) -> None:
    latents, cache, calls = shadowed(name, "cached")
    expected = fresh(name)
    assert torch.equal(latents, expected.latents)
    assert calls == sum(len(run.steps) for run in newest(cache).values())
    for model, run in newest(cache).items():
        known = [s if s.computed else replace(s, reuse_error=None) for s in run.steps]
        assert tuple(known) == expected.steps[model]
        assert all(step.reuse_error is not None for step in run.leading if not step.computed)


@pytest.mark.parametrize(("name", "threshold"), [("wan", 0.12), ("zimage", 0.15)])  # where the four samples part
def test_samples_that_part(name: str, threshold: float) -> None:
    call, knobs = {"batch": 4, "guidance": False}, {"threshold": threshold, "align_steps": 2}
    real, cache, _ = shadowed(name, None, knobs, **call)
    schedules = [run.computed_steps(sample) for run in newest(cache).values() for sample in range(4)]
    assert len(set(schedules)) > 1
    latents, shade, _ = shadowed(name, "cached", knobs, **call)
    assert torch.equal(latents, real)
    assert schedules == [run.computed_steps(sample) for run in newest(shade).values() for sample in range(4)]
    full, _, _ = shadowed(name, "full", knobs, **call)
    assert torch.equal(full, plain(name, **call))


def watched(shadow: str) -> tuple[navicache.RunRecord, list[dict[str, Any]], list[Tensor]]:
    """A run of Wan with what the leading calls were given, and what they gave back to the pipeline."""
    pipe = TINY["wan"].build()
    cache = navicache.enable(pipe, shadow=shadow, **REUSING)
    inputs: list[dict[str, Any]] = []
    outputs: list[Tensor] = []
    pipe.transformer.register_forward_pre_hook(lambda module, args, kwargs: inputs.append(kwargs), with_kwargs=True)
    pipe.transformer.register_forward_hook(lambda module, args, output: outputs.append(output[0]))
    TINY["wan"].call(pipe, steps=STEPS)
    (run,) = cache.trace.runs
    assert run.streams[:2] == ("cond", "uncond")
    return run, inputs[::2], outputs[::2]


def relative(truth: Tensor, guess: Tensor) -> float:
    return ((truth - guess).abs().mean() / truth.abs().mean()).item()


def test_errors_on_the_cached_trajectory_are_those_of_what_was_returned() -> None:
    run, inputs, outputs = watched("cached")
    transformer = TINY["wan"].build().transformer
    for step in run.leading:
        with torch.no_grad():
            truth = transformer(**inputs[step.index])[0]
        if not step.computed:
            assert step.reuse_error == pytest.approx(relative(truth, outputs[step.index]), rel=1e-4)


def test_errors_on_the_full_trajectory_are_those_of_what_would_have_been() -> None:
    run, inputs, outputs = watched("full")
    last = 0
    for step in run.leading:
        x, y = inputs[step.index]["hidden_states"], outputs[step.index]
        if step.computed:
            last = step.index
            continue
        guess = x + (outputs[last] - inputs[last]["hidden_states"])
        assert step.reuse_error == pytest.approx(relative(y, guess), rel=1e-4)
    assert run.computed < run.length


def test_the_summary_says_what_would_have_been() -> None:
    _, cache, _ = shadowed("wan", "cached")
    (run,) = cache.trace.runs
    text = cache.summary()
    said = (
        f"shadow (cached): every step was computed; {run.length - run.computed} of {run.length} steps would have been"
    )
    assert said in text
    assert "true error of those: median " in text
    assert "fewer calls" not in text


def test_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="shadow must be one of 'cached', 'full' or None, got True"):
        navicache.enable(lambda x, t: x, shadow=True)
