"""What a cache does on one pipeline, found by running it: the rows of docs/compatibility.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from diffusers import DiffusionPipeline
from tests.tiny import TINY
from tests.tiny.zoo import STEPS, ZOO
from torch import Tensor

import navicache
from navicache.engine import CannotCache

WHOLE: dict[str, dict[str, Any]] = {"static": {"interval": 2}, "inertial": {"speedup": 2.0}}
STACK: dict[str, dict[str, Any]] = {"inertial": {"speedup": 2.0, "site": "blocks"}}
FIRST_BLOCK: dict[str, dict[str, Any]] = {"firstblockcache": {"threshold": 0.9}}


@dataclass(frozen=True)
class Subject:
    """A pipeline that can be built and run, whichever table it comes from."""

    name: str
    build: Callable[[], DiffusionPipeline]
    run: Callable[[DiffusionPipeline], Tensor]


@dataclass(frozen=True)
class Outcome:
    """What one policy did: works, or refused with a reason; `notes` is what the cache itself said."""

    refused: str = ""
    notes: tuple[str, ...] = ()
    computed: int = 0
    steps: int = 0


def subjects() -> Iterator[Subject]:
    """The families tested in depth, then the zoo."""
    for case in TINY.values():
        yield Subject(case.name, case.build, lambda pipe, call=case.call: call(pipe, steps=STEPS))
    for entry in ZOO.values():
        yield Subject(entry.name, entry.build, entry.run)


def survey(subject: Subject, policy: str, **knobs: Any) -> Outcome:
    """Run with the cache twice and without it before and after; only a clear refusal is no failure."""
    pipe = subject.build()
    plain = subject.run(pipe)
    try:
        cache = navicache.enable(pipe, policy, **knobs)
    except ValueError as refusal:
        return _refused(subject, pipe, plain, refusal)
    try:
        with cache:
            first = subject.run(pipe)
            runs = len(cache.trace.runs)
            second = subject.run(pipe)
    except CannotCache as refusal:
        return _refused(subject, pipe, plain, refusal)
    _check(plain, first, second)
    assert torch.equal(subject.run(pipe), plain), "disable left something behind"
    assert len(cache.trace.runs) == 2 * runs
    newest = cache.trace.runs[runs:]
    computed, steps = sum(run.computed for run in newest), sum(run.length for run in newest)
    assert computed < steps, f"nothing was reused: {cache.summary()}"
    return Outcome("", tuple(dict.fromkeys(note for run in newest for note in run.notes)), computed, steps)


def _refused(subject: Subject, pipe: DiffusionPipeline, plain: Tensor, refusal: Exception) -> Outcome:
    assert torch.equal(subject.run(pipe), plain), "the refusal left something behind"
    return Outcome(refused=str(refusal))


def _check(plain: Tensor, first: Tensor, second: Tensor) -> None:
    assert torch.isfinite(plain).all()
    assert first.shape == plain.shape
    assert first.dtype == plain.dtype
    assert torch.equal(first, second), "a second generation differs from the first"
    assert not torch.equal(first, plain), "the cache changed nothing"
