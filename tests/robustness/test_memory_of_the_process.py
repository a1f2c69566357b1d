"""Hundreds of caches on one model, many of them broken off: the process does not grow, and nothing is left."""

import contextlib
import gc
from pathlib import Path

import pytest
import torch
from tests.robustness.stack import SITES, Broken, Stack

import navicache
from navicache.engine import CacheEngine

STATUS = Path("/proc/self/statm")
ENABLES, WARM = 200, 50
MOST_GROWTH = 4 * 2**20  # bytes: a kept latent of every generation would be 50 MiB
CONDITION = torch.ones(1, 3, 2)


def resident() -> int:
    gc.collect()
    return int(STATUS.read_text().split()[1]) * 4096


def engines() -> int:
    gc.collect()
    return sum(issubclass(type(thing), CacheEngine) for thing in gc.get_objects())


def generate(model: Stack, number: int) -> None:
    """A run of its own shape; some end in an error, some in the middle."""
    latent = torch.full((1, 4096 + 8 * (number % 7), 16), 0.1)
    for step in range(3 if number % 3 == 1 else 8):
        model.trouble = "raise" if number % 3 == 2 and step == 4 else ""
        model(latent * (1 - 0.03 * step), torch.tensor([1000.0 - 100 * step]), CONDITION)


@pytest.mark.slow
@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells the memory of a process in /proc")
@pytest.mark.parametrize("site", SITES)
def test_two_hundred_enables(site: str) -> None:
    model, before = Stack(), 0
    names = {*vars(model)}
    for number in range(WARM + ENABLES):
        if number == WARM:
            before = resident()
        cache = navicache.enable(model, **SITES[site], steps=8)
        try:
            generate(model, number)
        except Broken:
            pass
        finally:
            cache.disable()
    assert resident() - before < MOST_GROWTH
    assert {*vars(model)} == names and not model._forward_hooks and not model._forward_pre_hooks
    model.trouble = ""
    latent, time = torch.ones(1, 9, 2), torch.tensor([500.0])
    assert torch.equal(model(latent, time, CONDITION), Stack()(latent, time, CONDITION))


@pytest.mark.parametrize("site", SITES)
def test_no_engine_outlives_its_cache(site: str) -> None:
    """An engine without tensors is too small to be seen above."""
    model, before = Stack(), engines()
    for number in range(6):
        with contextlib.suppress(Broken), navicache.enable(model, **SITES[site], steps=8) as cache:
            generate(model, number)
    assert cache.trace.runs and engines() == before
