"""What a cache does on one pipeline, found by running it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from diffusers import DiffusionPipeline
from tests.tiny import TINY
from tests.tiny.zoo import STEPS, ZOO
from torch import Tensor

import navicache
from navicache.engine import CannotCache

WHOLE = ("static", {"interval": 2}), ("inertial", {"speedup": 2.0})
STACK = ("inertial", {"speedup": 2.0, "site": "blocks"})
AFTER_FIRST = ("firstblockcache", {"threshold": 0.9})


@dataclass(frozen=True)
class Subject:
    """A pipeline that can be built and run, whichever table it comes from."""

    name: str
    build: Callable[[], DiffusionPipeline]
    run: Callable[[DiffusionPipeline], Tensor]
    told: Mapping[str, Any] = field(default_factory=dict)  # what `enable` has to be told
    note: str = ""


def subjects() -> Iterator[Subject]:
    """The families tested in depth, then the zoo."""
    for case in TINY.values():
        yield Subject(case.name, case.build, lambda pipe, call=case.call: call(pipe, steps=STEPS))
    for entry in ZOO.values():
        yield Subject(entry.name, entry.build, entry.run, entry.told, entry.note)


def survey(subject: Subject, policy: str, knobs: Mapping[str, Any]) -> str:
    """Run with the cache twice, and without it before and after; returns the reason of a refusal, or nothing.

    A refusal is a ValueError of `enable` or a CannotCache of the first call; anything else is a failure.
    """
    pipe = subject.build()
    plain = subject.run(pipe)
    try:
        cache = navicache.enable(pipe, policy, **subject.told, **knobs)
    except ValueError as refusal:
        return _refused(subject, pipe, plain, refusal)
    try:
        with cache:
            first = subject.run(pipe)
            runs = len(cache.trace.runs)
            second = subject.run(pipe)
    except CannotCache as refusal:
        return _refused(subject, pipe, plain, refusal)
    _check_results(plain, first, second)
    assert torch.equal(subject.run(pipe), plain), "disable left something behind"
    assert len(cache.trace.runs) == 2 * runs
    assert all(run.notes == () for run in cache.trace.runs), cache.summary(details=False)
    assert sum(run.length - run.computed for run in cache.trace.runs[runs:]) > 0, cache.summary()
    return ""


def _refused(subject: Subject, pipe: DiffusionPipeline, plain: Tensor, refusal: Exception) -> str:
    assert torch.equal(subject.run(pipe), plain), "the refusal left something behind"
    return str(refusal)


def _check_results(plain: Tensor, first: Tensor, second: Tensor) -> None:
    assert torch.isfinite(plain).all()
    assert first.shape == plain.shape
    assert first.dtype == plain.dtype
    assert torch.equal(first, second), "a second generation differs from the first"
    assert not torch.equal(first, plain), "the cache changed nothing"
