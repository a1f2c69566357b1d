"""The handle: summary, trace, reset, context manager."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from tests.integrations.common import (
    REUSING,
    STEPS,
    assert_same,
    each_pipeline,
    fresh,
    generate,
    newest,
    params,
    plain,
    transformers,
)
from tests.integrations.toys import COND, KNOBS, Toy, assert_right_streams, denoise, drifting
from tests.tiny import TINY

import navicache


@each_pipeline
def test_the_summary_says_what_happened(name: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    assert "nothing has run yet" in cache.summary()
    TINY[name].call(pipe, steps=STEPS)
    text = cache.summary()
    for run in newest(cache).values():
        assert f"navicache on {run.model}: computed {run.computed} of {run.length} step" in text
        assert f"{run.speedup:.2f}x fewer calls" in text
        assert "".join("■" if step.computed else "·" for step in run.steps_of()) in text
        for step in run.steps_of():
            assert f"{'compute' if step.computed else 'reuse'}" in text
    assert "threshold=0.4" in text
    assert len(cache.summary(details=False)) < len(text)
    assert repr(cache).startswith(f"<Cache navicache on {next(iter(newest(cache)))}: computed ")
    assert "\n" not in repr(cache)


@each_pipeline
def test_the_trace_is_complete(name: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    TINY[name].call(pipe, steps=STEPS)
    runs = newest(cache).values()
    assert len(runs) == len(transformers(pipe))
    assert sorted(step.index for run in runs for step in run.steps_of()) == list(range(STEPS))
    for run in runs:
        assert run.finished
        assert run.total == STEPS
        assert run.settings["threshold"] == 0.4
        times = run.column("time")
        assert None not in times
        assert list(times) == sorted(times, reverse=times[0] > times[-1])
        assert all(step.input_change is not None for step in run.steps_of()[1:])
        measured = [step for step in run.steps_of() if step.computed][1:]
        assert all(step.measured_ratio is not None and step.reuse_error is not None for step in measured)
        assert {step.reason for step in run.steps_of()} <= {"align", "gate", "last step"}
    assert [step for run in runs for step in run.steps_of()][-1].reason == "last step"


@pytest.mark.parametrize("name", params("wan22", "zimage"))
def test_the_trace_survives_json_and_disable(name: str, tmp_path: Path) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING)
    TINY[name].call(pipe, steps=STEPS, batch=2)
    before, text = cache.trace, cache.summary()
    steps = [run.steps for run in before.runs]
    cache.disable()
    assert [run.steps for run in cache.trace.runs] == steps
    assert cache.summary() == text
    assert navicache.Trace.from_json(cache.trace.to_json()) == cache.trace
    cache.trace.save(tmp_path / "trace.json")
    assert navicache.Trace.load(tmp_path / "trace.json") == cache.trace
    cache.disable()
    TINY[name].call(pipe, steps=STEPS)
    assert [run.steps for run in cache.trace.runs] == steps


@each_pipeline
def test_context_manager(name: str) -> None:
    pipe = TINY[name].build()
    with navicache.enable(pipe, **REUSING) as cache:
        assert_same(generate(cache, name, pipe), fresh(name))
    assert torch.equal(TINY[name].call(pipe, steps=STEPS), plain(name))
    with pytest.raises(KeyboardInterrupt), navicache.enable(pipe, **REUSING) as cache:
        TINY[name].call(pipe, steps=STEPS)
        raise KeyboardInterrupt
    assert cache.trace.runs
    assert torch.equal(TINY[name].call(pipe, steps=STEPS), plain(name))


def test_disable_in_mid_run() -> None:
    """From a callback: the rest of the run is computed."""
    pipe = TINY["wan"].build()
    cache = navicache.enable(pipe, **REUSING)

    def off(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        if index == 4:
            cache.disable()
        return kwargs

    TINY["wan"].call(pipe, steps=STEPS, callback_on_step_end=off)
    (run,) = cache.trace.runs
    assert (run.length, run.finished) == (5, False)
    assert torch.equal(TINY["wan"].call(pipe, steps=STEPS), plain("wan"))


def test_enable_in_mid_run() -> None:
    """From a callback: the run is joined at the step it has reached."""
    pipe = TINY["wan"].build()
    handles: list[navicache.Cache] = []

    def on(pipe: Any, index: int, time: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        if index == 3:
            handles.append(navicache.enable(pipe, **REUSING))
        return kwargs

    TINY["wan"].call(pipe, steps=STEPS, callback_on_step_end=on)
    (run,) = handles[0].trace.runs
    assert run.computed_steps()[:2] == (4, 5)
    assert run.steps[-1].index == run.computed_steps()[-1] == STEPS - 1
    assert run.length == STEPS - 4


def test_reset_begins_a_run_where_nothing_else_could_tell() -> None:
    cache = navicache.enable(lambda x: 0.1 * x + 10, **KNOBS)
    for _ in range(3):
        for x in drifting(STEPS):
            cache(x)
        cache.reset()
    first, *others = cache.trace.runs
    assert first.speedup > 1
    assert first.finished
    assert [run.steps for run in others] == [first.steps] * 2
    cache.reset()
    assert len(cache.trace.runs) == 3


def test_another_shape_or_dtype_begins_a_run_of_itself() -> None:
    cache = navicache.enable(lambda x: 0.1 * x + 10, threshold=0.05, align_steps=2)
    kinds = [((2, 4, 3, 5), torch.float32), ((2, 4, 5, 5), torch.float32), ((2, 4, 5, 5), torch.bfloat16)]
    for shape, dtype in [*kinds, ((3, 4, 5, 5), torch.bfloat16), *kinds]:
        for x in drifting(STEPS, shape, dtype):
            output = cache(x)
            assert (output.shape, output.dtype) == (x.shape, x.dtype)
    assert [len(run.steps_of()) for run in cache.trace.runs] == [STEPS] * 7
    assert all(run.computed_steps()[:2] == (0, 1) and run.speedup > 1 for run in cache.trace.runs)


@pytest.mark.parametrize("steps", [None, STEPS])
def test_a_bare_module_is_told_how_many_steps_there_are(steps: int | None) -> None:
    toy = Toy()
    cache = navicache.enable(toy, threshold=1e6, align_steps=3, steps=steps)
    assert_right_streams(list(denoise(toy, lambda step: [COND], steps=STEPS)))
    (run,) = cache.trace.runs
    assert run.total == steps
    assert run.computed_steps() == ((0, 1, 2) if steps is None else (0, 1, 2, STEPS - 1))
    assert ("the number of steps is unknown" in cache.summary()) == (steps is None)
    assert ("steps=N" in cache.summary()) == (steps is None)
