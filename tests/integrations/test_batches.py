"""One to eight samples in a call, guidance in two calls (Wan) and in one (LTX): each is decided as if it were alone."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from tests.integrations.common import REUSING, STEPS, Result, generate, newest
from tests.tiny import TINY

import navicache

PARTING = {"wan": {"threshold": 0.12, "align_steps": 2}, "ltx": {"threshold": 0.15, "align_steps": 2}}


@functools.cache
def alone(name: str, sample: int) -> tuple[Result, tuple[int, ...]]:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **PARTING[name])
    result = generate(cache, name, pipe, seed=sample, prompt=f"a cat {sample}")
    (run,) = newest(cache).values()
    return result, run.computed_steps()


def rows_of_a_call(pipe: Any) -> list[int]:
    """How many rows each real call had."""
    rows: list[int] = []

    def note(_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        rows.append(next(v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor)).shape[0])

    next(iter(pipe.transformer.children())).register_forward_pre_hook(note, with_kwargs=True)
    return rows


@pytest.mark.parametrize("name", ["wan", "ltx"])
@pytest.mark.parametrize("samples", range(1, 9))
def test_samples_decide_for_themselves(name: str, samples: int) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **PARTING[name])
    latents = TINY[name].call(pipe, steps=STEPS, batch=samples, numbered=True)
    (run,) = newest(cache).values()
    for sample in range(samples):
        single, steps = alone(name, sample)
        assert run.computed_steps(sample) == steps, sample
        torch.testing.assert_close(latents[sample], single.latents[0], rtol=1e-3, atol=1e-3)
    schedules = {run.computed_steps(sample) for sample in range(samples)}
    assert len(schedules) > 1 or samples < 4, "samples that all decide alike prove nothing here"


@pytest.mark.parametrize("name", ["wan", "ltx"])
def test_one_decision_for_the_whole_call(name: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, **REUSING, rows="call")
    rows = rows_of_a_call(pipe)
    TINY[name].call(pipe, steps=STEPS, batch=4)
    (run,) = newest(cache).values()
    assert len(set(rows)) == 1  # the batch never shrinks
    assert {step.sample for step in run.steps} == {0}
    assert run.computed < run.length
