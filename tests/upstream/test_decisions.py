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
def proposed(pipe: Any, **config: Any) -> Iterator[None]:
    module = hook()
    module.apply_navi_cache(pipe.transformer, module.NaviCacheConfig(**config))
    yield
    HookRegistry.check_if_exists_or_initialize(pipe.transformer).remove_hook("navi_cache")


def generate(name: str, pipe: Any, guidance: bool) -> tuple[torch.Tensor, list[int]]:
    """The latents, and how many calls of the transformer each step made, told by its own forwards."""
    sums = [0]

    def after(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        sums.append(len(calls))
        return kwargs

    with counted(pipe) as calls:
        latents = TINY[name].call(pipe, steps=STEPS, guidance=guidance, callback_on_step_end=after)
    return latents, [late - early for early, late in itertools.pairwise(sums)]


@pytest.mark.parametrize(("name", "guidance", "threshold", "align"), parameters())
def test_decisions_and_outputs_are_those_of_the_policy(name, guidance, threshold, align):
    pipe = TINY[name].build()
    with navicache.enable(pipe, "navicache", threshold=threshold, align_steps=align, steps=STEPS) as cache:
        ours, made = generate(name, pipe, guidance)
    with proposed(pipe, threshold=threshold, num_alignment_steps=align, num_inference_steps=STEPS):
        theirs, proposes = generate(name, pipe, guidance)
    assert proposes == made
    assert [step for step, calls in enumerate(proposes) if calls] == list(cache.trace.runs[0].computed_steps())
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
