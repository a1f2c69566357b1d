"""The proposed hook decides as our policy `navicache` does, step by step, and returns what it returns."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from diffusers.hooks import HookRegistry
from tests.integrations.common import counted
from tests.tiny import TINY
from tests.upstream.proposal import hook

import navicache

STEPS = 16
THRESHOLDS = [(0.4, 3), (0.1, 2), (1.5, 5)]
CASES = [(name, guidance, *knobs) for name in ("wan", "hunyuan") for guidance in (True, False) for knobs in THRESHOLDS]
MORE = [(name, True, *knobs) for name in ("wan_i2v", "flux") for knobs in THRESHOLDS]
QUICK = {case for case in CASES if case[2:] == THRESHOLDS[0]}


def parameters() -> list[Any]:
    return [pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow) for case in [*CASES, *MORE]]


@contextmanager
def proposed(pipe: Any, **config: Any) -> Iterator[Any]:
    module = hook()
    module.apply_navi_cache(pipe.transformer, module.NaviCacheConfig(**config))
    registry = HookRegistry.check_if_exists_or_initialize(pipe.transformer)
    yield registry.get_hook("navi_cache").shared_state
    registry.remove_hook("navi_cache")


def generate(name: str, pipe: Any, guidance: bool, state: Any = None) -> tuple[torch.Tensor, list[int], list[Any]]:
    """The latents, how many calls of the transformer each step made, and the hook's ratio after each."""
    sums, ratios = [0], []

    def after(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        sums.append(len(calls))
        ratios.append(None if state is None else state.ratio)
        return kwargs

    with counted(pipe) as calls:
        latents = TINY[name].call(pipe, steps=STEPS, guidance=guidance, callback_on_step_end=after)
    return latents, [late - early for early, late in itertools.pairwise(sums)], ratios


@pytest.mark.parametrize(("name", "guidance", "threshold", "align"), parameters())
def test_decisions_and_outputs_are_those_of_the_policy(name, guidance, threshold, align):
    pipe = TINY[name].build()
    with navicache.enable(pipe, "navicache", threshold=threshold, align_steps=align, steps=STEPS) as cache:
        ours, made, _ = generate(name, pipe, guidance)
    with proposed(pipe, threshold=threshold, num_alignment_steps=align, num_inference_steps=STEPS) as state:
        theirs, proposes, ratios = generate(name, pipe, guidance, state)
    (record,) = cache.trace.runs
    assert proposes == made
    assert [step for step, calls in enumerate(proposes) if calls] == list(record.computed_steps())
    # What a step is decided by is what the one before has left.
    assert ratios[1:-1] == pytest.approx([step.ratio for step in record.leading[2:]], rel=1e-4)
    torch.testing.assert_close(theirs, ours, rtol=1e-4, atol=1e-4)
    if (name, guidance, threshold, align) in QUICK:
        assert set(proposes) == {0, 2 if guidance else 1}  # both kinds of steps, and both branches of a step together


@pytest.mark.parametrize("name", ["wan", "hunyuan"])
def test_a_second_video_inherits_nothing(name):
    pipe = TINY[name].build()
    with proposed(pipe, threshold=0.4, num_alignment_steps=3, num_inference_steps=STEPS):
        first, again = generate(name, pipe, True), generate(name, pipe, True)
    assert first[1] == again[1]
    assert torch.equal(first[0], again[0])
