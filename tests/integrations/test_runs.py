"""A generation is decided as if it were the first one, whatever happened on the same pipeline before."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.integrations.common import (
    REUSING,
    SMALLER,
    STEPS,
    assert_same,
    each_pipeline,
    fresh,
    generate,
    newest,
    on_forward,
    params,
    raising_at,
    reused,
    transformers,
)
from tests.tiny import TINY

import navicache

OTHERS: dict[str, dict[str, Any]] = {
    "steps": {"steps": 9},
    "resolution": SMALLER,
    "batch": {"batch": 2},
    "prompt": {"prompt": "two dogs"},
    "guidance": {"guidance": False},
}


@each_pipeline
def test_runs_are_found_and_none_is_invented(name: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    for _ in range(3):
        assert_same(generate(cache, name, pipe), fresh(name))
    models = [run.model for run in cache.trace.runs]
    assert [models.count(model) for model in newest(cache)] == [3] * len(transformers(pipe))
    assert all(run.total == STEPS for run in cache.trace.runs)
    assert reused(cache) > 0


@each_pipeline
@pytest.mark.parametrize(("step", "error"), [(0, RuntimeError), (1, RuntimeError), (5, KeyboardInterrupt)])
def test_after_an_error_between_the_steps(name: str, error: type[BaseException], step: int) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    with pytest.raises(error, match="broken off"):
        generate(cache, name, pipe, seed=3, **raising_at(step, error))
    assert_same(generate(cache, name, pipe), fresh(name))
    assert not cache.trace.runs[0].finished


@each_pipeline
@pytest.mark.parametrize(("forward", "error"), [(2, KeyboardInterrupt), (5, RuntimeError)])
def test_after_an_error_inside_the_transformer(name: str, error: type[BaseException], forward: int) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)

    def fail(count: int) -> None:
        if count == forward:
            raise error("broken inside")

    with on_forward(pipe, fail), pytest.raises(error, match="broken inside"):
        generate(cache, name, pipe, seed=3)
    assert_same(generate(cache, name, pipe), fresh(name))


@each_pipeline
@pytest.mark.parametrize("other", OTHERS)
def test_after_a_different_run(name: str, other: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    assert_same(generate(cache, name, pipe), fresh(name))
    assert_same(generate(cache, name, pipe, **OTHERS[other]), fresh(name, **OTHERS[other]))
    assert_same(generate(cache, name, pipe), fresh(name))


@each_pipeline
@pytest.mark.parametrize("other", ["steps", "batch"])
def test_a_different_run_after_a_broken_one(name: str, other: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    with pytest.raises(RuntimeError, match="broken off"):
        generate(cache, name, pipe, **raising_at(5, RuntimeError))
    assert_same(generate(cache, name, pipe, **OTHERS[other]), fresh(name, **OTHERS[other]))


@each_pipeline
def test_after_another_dtype(name: str) -> None:
    pipe, other = TINY[name].build(), TINY[name].build().to(torch.bfloat16)
    cache = navicache.enable(pipe, **REUSING)
    assert_same(generate(cache, name, pipe), fresh(name))
    pipe.to(torch.bfloat16)
    expected = generate(navicache.enable(other, **REUSING), name, other)
    assert expected.latents.isfinite().all()
    assert_same(generate(cache, name, pipe), expected)


@pytest.mark.parametrize("name", params("wan", "zimage", "ltx"))
def test_stopping_a_run_early_is_no_error(name: str) -> None:
    """Pipelines with an interrupt flag leave out the remaining steps and return."""
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)

    def stop(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        pipe._interrupt = index >= 6
        return kwargs

    generate(cache, name, pipe, callback_on_step_end=stop)
    assert newest(cache).popitem()[1].length == 7
    assert_same(generate(cache, name, pipe), fresh(name))


@each_pipeline
def test_looking_at_the_trace_changes_nothing(name: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    texts: list[str] = []

    def look(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        texts.append(cache.summary() + cache.trace.to_json() + repr(cache))
        return kwargs

    assert_same(generate(cache, name, pipe, batch=2, callback_on_step_end=look), fresh(name, batch=2))
    assert len(set(texts)) == STEPS


@pytest.mark.parametrize("name", params("wan", "ltx", "zimage"))
def test_inference_mode_decides_alike(name: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    with torch.inference_mode():
        inside = generate(cache, name, pipe)
    assert_same(inside, fresh(name))
    assert_same(generate(cache, name, pipe), fresh(name))
