"""Kandinsky 6: its own `navicache` and ours side by side on a stand-in, decision by decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.recipes.hosts import checkout, load, opened, same_arguments
from tests.recipes.loops import kandinsky
from tests.recipes.promises import counted
from tests.recipes.stand_ins import DiffusionTransformer3D
from torch import Tensor

import navicache

pytestmark = pytest.mark.recipes

STEPS = 50
BARE = ("kandinsky", "kandinsky.runtime")
NOT_NEEDED = ("kandinsky.runtime.base", "kandinsky.runtime.cache.magcache")


def theirs(dit: DiffusionTransformer3D, generate: Callable[[Any], Tensor], **knobs: float) -> tuple[list[int], Tensor]:
    """The steps that their rule computes, and what it makes."""
    cached = load("kandinsky.runtime.cache", *NOT_NEEDED).CacheDiT(dit)
    cached.set_cache("navicache", num_steps=STEPS, **knobs)
    computed: list[int] = []
    with counted(dit.core) as calls:
        made = generate(lambda **call: _noted(cached, calls, computed, call))
    return computed[::2], made


def _noted(cached: Any, calls: list[int], computed: list[int], call: dict[str, Any]) -> Any:
    before, step = len(calls), STEPS - round(float(call["time"][0]) * STEPS / 1000)
    out = cached(**call)
    computed += [step] * (len(calls) > before)
    return out


def ours(dit: DiffusionTransformer3D, generate: Callable[[Any], Tensor], **knobs: float) -> tuple[list[int], Tensor]:
    cache = navicache.enable(dit, "navicache", steps=STEPS, **knobs)
    made = generate(dit)
    cache.disable()
    return list(cache.trace.runs[-1].computed_steps()), made


@pytest.mark.parametrize("threshold", [0.02, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_decisions(threshold: float, seed: int) -> None:
    """Sound that repeats the video leaves their joint mean what ours is: every decision must agree."""
    with opened(checkout("kandinsky6"), *BARE):
        dit = DiffusionTransformer3D(sound=False)
        one, left = theirs(dit, lambda call: kandinsky(call, seed, STEPS), thresh=threshold)
        two, right = ours(dit, lambda call: kandinsky(call, seed, STEPS), threshold=threshold)
        assert one == two
        assert 10 < len(two) < STEPS
        assert torch.allclose(left, right, rtol=1e-4, atol=1e-5)


def test_their_front_is_called_as_the_network() -> None:
    with opened(checkout("kandinsky6"), *BARE):
        front = load("kandinsky.runtime.cache", *NOT_NEEDED).CacheDiT
        assert same_arguments(front._navicache_forward, DiffusionTransformer3D.forward)
