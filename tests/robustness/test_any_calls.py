"""Random call patterns at all sites: the cache raises nothing, reuses nothing broken, and keeps nothing."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.robustness.stack import SITES, Broken, Call, Generation, Stack, enabled, spoil

TROUBLE = st.sampled_from([""] * 8 + ["nan", "inf"])
SPOILT = st.sampled_from([""] * 30 + ["nan", "inf"])

BLIND = ("static",)  # decides by the number of the step: it cannot know that what it reuses is broken


@st.composite
def generations(draw: Any) -> Generation:
    count = draw(st.integers(1, 12))
    times = [1000 - 80.0 * step for step in range(count)]
    if not draw(st.integers(0, 3)):
        times = draw(st.permutations(times))
    last = draw(st.integers(0, 2 * count))  # where the model raises, if the loop comes so far
    usual = draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))
    steps = []
    for time in times:
        branches = usual if draw(st.integers(0, 3)) else draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))
        spoilt = draw(SPOILT)
        trouble = [draw(TROUBLE) if len(steps) != last else "raise" for _ in branches]
        steps.append(tuple(Call(time, *call, spoilt) for call in zip(branches, trouble, strict=True)))
    batch, width = draw(st.integers(1, 3)), draw(st.sampled_from([2, 4]))
    return Generation(tuple(steps), batch, width, draw(st.booleans()), draw(st.booleans()))


def play(model: Stack, generation: Generation, remembered: list[weakref.ref[Any]], measures: bool) -> None:
    """A loop that stops where the model raises; every output is compared with what the plain model would say."""
    plain = Stack()
    conditions = [torch.full((generation.batch, 3, 2), 0.3 * (branch + 1)) for branch in range(3)]
    for x, calls in zip(generation.latents(), generation.steps, strict=True):
        latent = spoil(x, calls[0].spoilt)
        remembered.append(weakref.ref(latent))
        for call in calls:
            time = torch.full((generation.batch,), call.time)
            condition = conditions[call.branch].clone() if generation.recreate else conditions[call.branch]
            plain.trouble = model.trouble = call.trouble
            before = model.calls
            try:
                output = model(latent, time, condition)
            except Broken:
                assert call.trouble == "raise"
                return
            plain.trouble = ""  # a reuse does not notice what is wrong with the model
            told = model.calls > before or not latent.isfinite().all()  # that something is wrong
            check(plain(latent, time, condition), output, told or not measures)


def check(expected: torch.Tensor, output: torch.Tensor, exact: bool) -> None:
    assert (output.shape, output.dtype, output.device) == (expected.shape, expected.dtype, expected.device)
    if expected.isfinite().all() and not exact:
        assert output.isfinite().all(), "something broken was reused"


@pytest.mark.parametrize("site", SITES)
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(told=st.booleans(), loops=st.lists(generations(), min_size=1, max_size=3))
def test_any_calls(site: str, told: bool, loops: list[Generation]) -> None:
    model, cache = enabled(site, **({"steps": len(loops[0].steps)} if told else {}))
    remembered: list[weakref.ref[Any]] = []
    for loop in loops:
        play(model, loop, remembered, measures=site not in BLIND)
        if loop.reset:
            cache.reset()
    cache.summary()
    cache.reset()
    gc.collect(0)
    assert all(latent() is None for latent in remembered), "a latent outlived its run"
    cache.disable()
    assert vars(model).keys() == vars(Stack()).keys()


@pytest.mark.parametrize("site", ["model", "blocks", "inertial"])
@pytest.mark.parametrize("spoilt", ["nan", "inf"])
def test_a_spoilt_latent_is_computed(site: str, spoilt: str) -> None:
    model, cache = enabled(site, steps=10)
    run = Generation(tuple((Call(1000 - 90.0 * k, 0),) for k in range(10)), 1, 4, False, True)
    condition = torch.ones(1, 3, 2)
    for k, x in enumerate(run.latents()):
        model(spoil(x, spoilt if k in (4, 6) else ""), torch.tensor([1000 - 90.0 * k]), condition)
    (record,) = cache.trace.runs
    assert {4, 5, 6, 7} <= set(record.computed_steps())
    assert len(record.computed_steps()) < 10


@pytest.mark.parametrize("site", ["model", "blocks", "inertial"])
@pytest.mark.parametrize("trouble", ["nan", "inf"])
@pytest.mark.parametrize("at", [0, 1])
def test_a_follower_that_breaks_is_computed_again(site: str, trouble: str, at: int) -> None:
    """The leader's output is fine, so the step is reused; the follower's must not be."""
    model, cache = enabled(site, steps=12)
    conditions = [torch.full((1, 3, 2), 0.3), torch.full((1, 3, 2), 0.6)]
    latents = Generation(tuple((Call(0, 0),) for _ in range(12)), 1, 4, False, True).latents()
    for k, x in enumerate(latents):
        for branch, condition in enumerate(conditions):
            model.trouble = trouble if branch and k == at else ""
            output = model(x, torch.tensor([1000 - 80.0 * k]), condition)
            assert bool(output.isfinite().all()) == (not model.trouble), (k, branch)
    (record,) = cache.trace.runs
    assert len(record.computed_steps()) < 12
    assert "NaN or infinite" in " ".join(cache.summary().split())
