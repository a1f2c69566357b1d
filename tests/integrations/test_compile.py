"""Regional torch.compile, with a backend that only counts: the blocks are compiled as ever, the engine not at all."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from tests.integrations.common import REUSING, STEPS, fresh, newest
from tests.tiny import TINY

import navicache

Backend = Callable[[torch.fx.GraphModule, list[Any]], Any]


class Count:
    """Counts the operations of all graphs, and runs them as they are."""

    def __init__(self) -> None:
        self.operations = 0

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[Any]) -> Any:
        self.operations += sum(node.op.startswith("call") for node in graph.graph.nodes)
        return graph


def compile_blocks(pipe: Any, backend: Backend) -> None:
    pipe.transformer.compile_repeated_blocks(backend=backend, fullgraph=True)


@pytest.fixture(autouse=True)
def forget_graphs() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@functools.cache
def operations(way: Callable[[Any, Backend], None]) -> int:
    """How many there are without a cache."""
    pipe, count = TINY["wan"].build(), Count()
    way(pipe, count)
    TINY["wan"].call(pipe, steps=2)
    torch._dynamo.reset()
    return count.operations


@pytest.mark.parametrize("way", [compile_blocks])
@pytest.mark.parametrize("enable_first", [False, True])
def test_compiled_and_cached(way: Any, enable_first: bool) -> None:
    expected = operations(way)
    pipe, count = TINY["wan"].build(), Count()
    exact = TINY["wan"].call(pipe, steps=STEPS)
    cache = navicache.enable(pipe, **REUSING) if enable_first else None
    way(pipe, count)
    cache = cache or navicache.enable(pipe, **REUSING)
    latents = TINY["wan"].call(pipe, steps=STEPS)
    torch.testing.assert_close(latents, fresh("wan").latents, rtol=1e-4, atol=1e-4)
    (run,) = newest(cache).values()
    (steps,) = fresh("wan").steps.values()
    assert [(s.index, s.stream, s.computed) for s in run.steps] == [(s.index, s.stream, s.computed) for s in steps]
    with pytest.raises(ValueError, match="cached already"):
        navicache.enable(pipe, **REUSING)
    cache.disable()
    torch.testing.assert_close(TINY["wan"].call(pipe, steps=STEPS), exact, rtol=1e-4, atol=1e-4)
    assert len(cache.trace.runs) == 1
    assert count.operations <= 2 * expected  # compiled once with the cache and perhaps once more without it
