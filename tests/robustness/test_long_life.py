"""A process that goes on for ever, and threads that go on beside each other."""

from __future__ import annotations

import gc
import threading

import pytest
import torch
from tests.integrations.common import REUSING, STEPS
from tests.robustness.stack import enabled
from tests.tiny import TINY
from torch import Tensor

import navicache

GENERATIONS, WARM = 10_000, 200  # generations; after the warm ones nothing may grow
CONDITION = torch.ones(1, 3, 2)
LATENTS = [torch.randn(1, 5, 2, generator=torch.Generator().manual_seed(step)) for step in range(2)]
TIMES = [torch.tensor([1000.0 - 200 * step]) for step in range(6)]


def generate(model: torch.nn.Module) -> None:
    for step, time in enumerate(TIMES):
        model(LATENTS[0] + 0.03 * step * LATENTS[1], time, CONDITION)


def tensors() -> int:
    return sum(issubclass(type(thing), Tensor) for thing in gc.get_objects())  # an instance check wakes up lazy things


@pytest.mark.parametrize("count", [300, pytest.param(GENERATIONS, marks=pytest.mark.slow)])
def test_ten_thousand_generations(count: int) -> None:
    model, cache = enabled("model", steps=len(TIMES))
    for _ in range(WARM):
        generate(model)
    gc.collect()
    before = tensors(), len(gc.get_objects())
    for _ in range(count):
        generate(model)
    gc.collect()
    after = tensors(), len(gc.get_objects())
    assert after[0] <= before[0]
    assert after[1] <= before[1] + 100
    assert len(cache.trace.runs) <= 33
    assert model.calls < (WARM + count) * len(TIMES)


def one(seed: int, site: str, results: dict[tuple[int, str], tuple[Tensor, object]]) -> None:
    """Three generations with a pipeline of one's own."""
    pipe = TINY["wan"].build(seed=seed, layers=3)
    cache = navicache.enable(pipe, **REUSING, site=site)
    latents = torch.stack([TINY["wan"].call(pipe, steps=STEPS, seed=seed + k) for k in range(3)])
    results[seed, site] = latents, [run.steps for run in cache.trace.runs]


@pytest.mark.parametrize("sites", [("model", "model"), ("model", "blocks")])
def test_two_threads_with_two_pipelines(sites: tuple[str, str]) -> None:
    apart: dict[tuple[int, str], tuple[Tensor, object]] = {}
    together: dict[tuple[int, str], tuple[Tensor, object]] = {}
    jobs = list(enumerate(sites))
    for seed, site in jobs:
        one(seed, site, apart)
    threads = [threading.Thread(target=one, args=(seed, site, together)) for seed, site in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert apart.keys() == together.keys()
    for key, (latents, steps) in apart.items():
        assert torch.equal(latents, together[key][0])
        assert steps == together[key][1]
