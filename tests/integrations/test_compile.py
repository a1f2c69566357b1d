"""torch.compile, with a backend that only counts: the model is compiled as ever, the engine not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from tests.integrations.common import REUSING, STEPS, counted, fresh, newest
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


def compile_all(pipe: Any, backend: Backend) -> None:
    pipe.transformer = torch.compile(pipe.transformer, backend=backend)


def compile_in_place(pipe: Any, backend: Backend) -> None:
    pipe.transformer.compile(backend=backend)


def compile_blocks(pipe: Any, backend: Backend) -> None:
    pipe.transformer.compile_repeated_blocks(backend=backend, fullgraph=True)


WAYS = pytest.mark.parametrize("way", [compile_all, compile_in_place, compile_blocks])


@pytest.fixture(autouse=True)
def forget_graphs() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def operations(way: Callable[[Any, Backend], None]) -> int:
    pipe, count = TINY["wan"].build(), Count()
    way(pipe, count)
    TINY["wan"].call(pipe, steps=3)
    torch._dynamo.reset()
    return count.operations


@WAYS
@pytest.mark.parametrize("enable_first", [False, True])
@pytest.mark.parametrize("ran_before", [False, True])
def test_the_model_is_compiled_as_without_a_cache(way: Any, enable_first: bool, ran_before: bool) -> None:
    expected = operations(way)
    pipe, count = TINY["wan"].build(), Count()
    if ran_before:
        TINY["wan"].call(pipe, steps=2)
    if enable_first:
        cache = navicache.enable(pipe, **REUSING)
    way(pipe, count)
    if not enable_first:
        cache = navicache.enable(pipe, **REUSING)
    for _ in range(2):
        latents = TINY["wan"].call(pipe, steps=STEPS)
        torch.testing.assert_close(latents, fresh("wan").latents, rtol=1e-4, atol=1e-4)
    (run,) = newest(cache).values()
    (steps,) = fresh("wan").steps.values()
    assert [(s.index, s.stream, s.computed) for s in run.steps] == [(s.index, s.stream, s.computed) for s in steps]
    assert count.operations == expected


@WAYS
@pytest.mark.parametrize("enable_first", [False, True])
def test_disable_takes_the_cache_off_a_compiled_model(way: Any, enable_first: bool) -> None:
    pipe = TINY["wan"].build()
    exact = TINY["wan"].call(pipe, steps=STEPS)
    if enable_first:
        cache = navicache.enable(pipe, **REUSING)
    way(pipe, Count())
    if not enable_first:
        cache = navicache.enable(pipe, **REUSING)
    with pytest.raises(ValueError, match="cached already"):
        navicache.enable(pipe, **REUSING)
    TINY["wan"].call(pipe, steps=STEPS)
    cache.disable()
    torch.testing.assert_close(TINY["wan"].call(pipe, steps=STEPS), exact, rtol=1e-4, atol=1e-4)
    assert len(cache.trace.runs) == 1
    torch._dynamo.reset()
    with counted(pipe) as calls:
        TINY["wan"].call(pipe, steps=2)
    assert calls
