"""Runs too short to gain anything are left alone, and nothing outlives the run it was kept for."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from tests.integrations.common import (
    REUSING,
    STEPS,
    counted,
    each_pipeline,
    newest,
    on_forward,
    plain,
    reused,
    transformers,
)
from tests.integrations.toys import COND, UNCOND, Toy, denoise
from tests.tiny import TINY
from torch import Tensor

import navicache

SCALARS = 256  # bytes that a few measurements may take


@pytest.fixture(autouse=True)
def thaw() -> Iterator[None]:
    yield
    gc.unfreeze()


def mark() -> None:
    """Count from here: objects that are there already are set aside, which also makes the counting fast."""
    gc.collect()
    gc.freeze()


def alive() -> int:
    """Bytes of all tensors made since the mark that can be reached."""
    gc.collect()
    found = [thing for thing in gc.get_objects() if issubclass(type(thing), Tensor)]
    return sum({t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in found}.values())


def most_alive(name: str, pipe: Any, steps: int) -> int:
    """The most bytes alive between the steps of a run."""
    seen: list[int] = []

    def look(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        seen.append(alive())
        return kwargs

    mark()
    TINY[name].call(pipe, steps=steps, callback_on_step_end=look)
    return max(seen)


def left_alive(name: str, pipe: Any) -> int:
    """Bytes alive after a run."""
    mark()
    TINY[name].call(pipe, steps=STEPS)
    return alive()


@each_pipeline
def test_a_short_run_is_left_alone(name: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, threshold=10.0, align_steps=STEPS - 2)
    for _ in range(2):
        with counted(pipe) as calls:
            assert torch.equal(TINY[name].call(pipe, steps=STEPS), plain(name))
    assert "stepped aside" in " ".join(cache.summary().split())
    assert reused(cache) == 0
    assert len(calls) == sum(len(run.steps) for run in newest(cache).values())
    assert len(cache.trace.runs) == 2 * len(transformers(pipe))
    TINY[name].call(pipe, steps=STEPS + 1)
    assert "stepped aside" not in cache.summary()


@each_pipeline
def test_a_short_run_keeps_no_tensors(name: str) -> None:
    pipe = TINY[name].build()
    most_alive(name, pipe, 4)
    expected = most_alive(name, pipe, 4)
    with navicache.enable(pipe, threshold=10.0, align_steps=10) as cache:
        assert most_alive(name, pipe, 4) <= expected + SCALARS
    assert reused(cache) == 0
    with navicache.enable(pipe, **REUSING):
        assert most_alive(name, pipe, STEPS) > most_alive(name, pipe, 4) + SCALARS  # what a long run does keep


@each_pipeline
def test_nothing_is_kept_after_a_run(name: str) -> None:
    pipe = TINY[name].build()
    left_alive(name, pipe)
    expected = left_alive(name, pipe)
    with navicache.enable(pipe, **REUSING):
        assert left_alive(name, pipe) <= expected + SCALARS


@each_pipeline
def test_nothing_is_kept_after_disable(name: str) -> None:
    pipe = TINY[name].build()
    left_alive(name, pipe)
    expected = left_alive(name, pipe)
    mark()
    cache = navicache.enable(pipe, **REUSING)
    with pytest.raises(RuntimeError, match="broken off"):
        TINY[name].call(pipe, steps=STEPS, callback_on_step_end=_break)
    cache.disable()
    assert alive() <= expected + SCALARS
    assert cache.trace.runs


@each_pipeline
def test_nothing_is_kept_after_an_error_inside_the_transformer(name: str) -> None:
    """An error there is often a lack of memory."""
    pipe = TINY[name].build()
    broken_off(name, pipe)
    expected = broken_off(name, pipe)
    with navicache.enable(pipe, **REUSING):
        assert broken_off(name, pipe) <= expected + SCALARS


def broken_off(name: str, pipe: Any) -> int:
    """Bytes alive after a run that fails at its fourth forward."""

    def fail(count: int) -> None:
        if count == 4:
            raise RuntimeError("out of memory")

    mark()
    with on_forward(pipe, fail), pytest.raises(RuntimeError, match="out of memory"):
        TINY[name].call(pipe, steps=STEPS)
    return alive()


def _break(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    if index == 5:
        raise RuntimeError("broken off")
    return kwargs


def test_the_models_own_output_is_not_kept_beside_its_copy() -> None:
    """One copy is needed; holding the container it came in would make two."""
    kept = {}
    for wrap in (lambda y: y, lambda y: (y,)):
        mark()
        x = torch.zeros(1, 64, 64)
        cache = navicache.enable(lambda x, t, wrap=wrap: wrap(0.1 * x + 10), threshold=10.0, align_steps=2)
        for step in range(4):
            cache(x + step, 10.0 - step)
        kept[len(kept)] = alive()
        cache.disable()
    assert kept[1] <= kept[0] + SCALARS


@pytest.mark.parametrize("recreate", [False, True], ids=["kept", "recreated"])
def test_a_short_run_of_a_bare_module_is_one_run(recreate: bool) -> None:
    toy = Toy()
    cache = navicache.enable(toy, threshold=10.0, align_steps=10, steps=6)
    for _ in range(2):
        calls = list(denoise(toy, lambda step: [COND, UNCOND], steps=6, recreate=recreate))
        assert all(call.computed for call in calls)
    assert [run.length for run in cache.trace.runs] == [6, 6]
    assert [len(run.streams) for run in cache.trace.runs] == [2, 2]
    assert "stepped aside" in cache.summary()
