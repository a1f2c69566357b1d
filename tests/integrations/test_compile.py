"""torch.compile, with a backend that only counts: the model is compiled as ever, the engine not at all."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from tests.integrations.common import REUSING, STEPS, newest
from tests.integrations.counting import Count
from tests.tiny import TINY
from torch import Tensor

import navicache
from navicache.engine import CannotCache

BLOCKS: dict[str, Any] = {**REUSING, "site": "blocks"}


Way = Callable[..., None]


def compile_blocks(pipe: Any, **how: Any) -> None:
    pipe.transformer.compile_repeated_blocks(**how)


def compile_model(pipe: Any, **how: Any) -> None:
    pipe.transformer.compile(**how)


def wrap_model(pipe: Any, **how: Any) -> None:
    pipe.transformer = torch.compile(pipe.transformer, **how)


@pytest.fixture(autouse=True)
def forget_graphs() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@functools.cache
def graphs(way: Way) -> list[int]:
    """The graphs there are without a cache."""
    pipe, count = TINY["wan"].build(layers=3), Count()
    way(pipe, backend=count, fullgraph=True)
    TINY["wan"].call(pipe, steps=2)
    torch._dynamo.reset()
    return count.graphs


@functools.cache
def uncompiled(site: str) -> tuple[Tensor, Any]:
    pipe = TINY["wan"].build(layers=3)
    cache = navicache.enable(pipe, **REUSING, site=site)
    latents = TINY["wan"].call(pipe, steps=STEPS)
    (run,) = newest(cache).values()
    return latents, [(s.index, s.stream, s.computed) for s in run.steps]


def put_on(way: Way, enable_first: bool, how: dict[str, Any], **knobs: Any) -> tuple[Any, Count, navicache.Cache]:
    pipe, count = TINY["wan"].build(layers=3), Count()
    cache = navicache.enable(pipe, **knobs) if enable_first else None
    way(pipe, backend=count, **how)
    return pipe, count, cache or navicache.enable(pipe, **knobs)


def assert_compiled_and_cached(pipe: Any, count: Count, cache: navicache.Cache, site: str, way: Way) -> None:
    latents = [TINY["wan"].call(pipe, steps=STEPS) for _ in range(3)]
    expected, decisions = uncompiled(site)
    for result in latents:
        torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)
    for run in cache.trace.runs:
        assert [(s.index, s.stream, s.computed) for s in run.steps] == decisions
    assert count.graphs == graphs(way)  # every operation, nothing of the engine, and no recompile at a later step
    computed = sum(line[-1] for line in decisions)
    per_call = 1 if way is not compile_blocks else 3  # blocks
    assert count.calls == 3 * per_call * computed
    assert computed < len(decisions)


WRAPPED = pytest.param(wrap_model, marks=pytest.mark.slow)  # the same engine behind another door
FIRST = pytest.param(True, marks=pytest.mark.slow)


@pytest.mark.parametrize("enable_first", [False, FIRST])
@pytest.mark.parametrize("site", ["model", "blocks"])
def test_compiled_blocks(site: str, enable_first: bool) -> None:
    put = put_on(compile_blocks, enable_first, {"fullgraph": True}, **REUSING, site=site)
    assert_compiled_and_cached(*put, site, compile_blocks)


@pytest.mark.parametrize("enable_first", [False, FIRST])
@pytest.mark.parametrize("way", [compile_model, WRAPPED])
def test_a_model_compiled_as_a_whole(way: Way, enable_first: bool) -> None:
    assert_compiled_and_cached(*put_on(way, enable_first, {}, **REUSING), "model", way)


@pytest.mark.parametrize("way", [compile_model, WRAPPED])
def test_one_graph_asked_for(way: Way) -> None:
    """fullgraph=True is fine where the cache comes after it; before it, torch refuses and says why."""
    assert_compiled_and_cached(*put_on(way, False, {"fullgraph": True}, **REUSING), "model", way)
    pipe, _, _ = put_on(way, True, {"fullgraph": True}, **REUSING)
    with pytest.raises(torch._dynamo.exc.Unsupported, match="compile first"):
        TINY["wan"].call(pipe, steps=STEPS)


@pytest.mark.parametrize(
    "knobs",
    [
        pytest.param(BLOCKS, id="blocks"),
        *(pytest.param({"policy": each}, id=each, marks=pytest.mark.slow) for each in ("teacache", "pab")),
    ],
)
@pytest.mark.parametrize("way", [compile_model, WRAPPED])
def test_a_graph_hides_what_is_inside(way: Way, knobs: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="compile the blocks alone"):
        put_on(way, False, {}, **knobs)
    pipe, _, cache = put_on(way, True, {}, **knobs)
    with pytest.raises(CannotCache, match="compile the blocks alone"):
        TINY["wan"].call(pipe, steps=STEPS)
    assert not any(run.finished for run in cache.trace.runs)
    plain = TINY["wan"].call(TINY["wan"].build(layers=3), steps=STEPS)
    torch.testing.assert_close(TINY["wan"].call(pipe, steps=STEPS), plain, rtol=1e-4, atol=1e-4)  # it took itself off


@pytest.mark.parametrize("enable_first", [False, FIRST])
def test_modules_within_compiled_blocks(enable_first: bool) -> None:
    pipe, _, _ = put_on(compile_blocks, enable_first, {}, policy="pab")
    with pytest.raises(CannotCache, match="compile the blocks alone"):
        TINY["wan"].call(pipe, steps=STEPS)


@pytest.mark.parametrize("way", [compile_model, WRAPPED, compile_blocks])
def test_one_graph_asked_for_and_modules_inside_it(way: Way) -> None:
    pipe, _, _ = put_on(way, True, {"fullgraph": True}, policy="pab")
    with pytest.raises(torch._dynamo.exc.Unsupported, match="compile the blocks alone"):
        TINY["wan"].call(pipe, steps=STEPS)


def test_compiled_once_more() -> None:
    """The second time the cache was there first."""
    pipe, _, cache = put_on(compile_model, False, {"fullgraph": True}, **REUSING)
    count = Count()
    pipe.transformer.compile(backend=count)
    assert_compiled_and_cached(pipe, count, cache, "model", compile_model)


@pytest.mark.parametrize("enable_first", [False, FIRST])
@pytest.mark.parametrize("way", [compile_blocks, compile_model, WRAPPED])
def test_taken_off_again(way: Way, enable_first: bool) -> None:
    plain = TINY["wan"].call(TINY["wan"].build(layers=3), steps=STEPS)
    pipe, count, cache = put_on(way, enable_first, {}, **REUSING)
    TINY["wan"].call(pipe, steps=STEPS)
    with pytest.raises(ValueError, match="cached already"):
        navicache.enable(pipe, **REUSING)
    cache.disable()
    calls = count.calls
    torch.testing.assert_close(TINY["wan"].call(pipe, steps=STEPS), plain, rtol=1e-4, atol=1e-4)
    assert count.calls - calls == 2 * STEPS * (3 if way is compile_blocks else 1)  # still compiled, two branches a step
    assert len(cache.trace.runs) == 1
    assert set(count.graphs) == set(graphs(way))
