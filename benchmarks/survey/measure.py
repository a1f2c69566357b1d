"""Run one tiny pipeline without a cache and with it, and say what was found: one row of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
import PIL.Image
import torch
from torch import Tensor, nn

import navicache
from navicache.engine import CannotCache
from navicache.integrations.denoiser_search import find_denoisers, list_models

PLACES: dict[str, tuple[str, Mapping[str, Any]]] = {
    "call": ("inertial", {"speedup": 2.0}),
    "blocks": ("inertial", {"speedup": 2.0, "site": "blocks"}),
    "after first": ("firstblockcache", {"threshold": 0.9}),
}
FEW_STEPS = 4  # enough to be refused
LONGEST = 120  # letters of a refusal that are kept
FAILURES = (AttributeError, LookupError, RuntimeError, TypeError, ValueError)  # of a pipeline, not of the survey
STEPWISE = 2  # calls in a run from which a model counts as part of the loop


class Subject(Protocol):
    """A pipeline that can be built and run."""

    @property
    def told(self) -> Mapping[str, Any]:
        """What `enable` has to be told."""
        ...

    @property
    def note(self) -> str:
        """A remark for the table."""
        ...

    def build(self) -> Any:
        """A fresh pipeline."""
        ...

    def run(self, pipe: Any, steps: int = ...) -> Any:
        """A full run of one sample, and all that it returns."""
        ...


@dataclass
class Calls:
    """How often a model was called in one generation, and what it returned."""

    kind: str
    calls: int = 0
    outputs: int = 0  # tensors in what it returns


@dataclass
class Row:
    """What was found of one class."""

    name: str
    cached: dict[str, dict[str, Any]] = field(default_factory=dict)  # component -> class, calls, outputs
    uncached: dict[str, dict[str, Any]] = field(default_factory=dict)  # others that were called again and again
    steps: int = 0  # steps that the cache saw in one generation
    computed: int = 0  # of these
    runs: int = 0  # in one generation: chunks or stages
    equal_again: bool | None = None  # two cached generations are bit-equal
    equal_after: bool | None = None  # the generation after `disable` is bit-equal to the one before
    places: dict[str, str] = field(default_factory=dict)  # empty: works; else why not
    notes: list[str] = field(default_factory=list)
    problem: str = ""  # why the class was not reached, or what went wrong


def measure(name: str, subject: Subject) -> dict[str, Any]:
    """The row of a class, as plain data."""
    row = Row(name)
    pipe = subject.build()
    with count_calls(pipe) as calls:
        plain = generate(subject, pipe)
    if not plain or check(plain, plain):
        raise ValueError(
            "without a cache the tiny build returns " + (check(plain, plain) or "nothing that is a tensor")
        )
    cached = find_denoisers(pipe)
    row.cached = {part: asdict(calls[part]) for part in cached}
    row.uncached = {part: asdict(each) for part, each in calls.items() if each.calls > STEPWISE and part not in cached}
    for place, (policy, knobs) in PLACES.items():
        row.places[place] = try_place(subject, pipe, policy, knobs, plain, row, is_default=place == "call")
    row.equal_after = are_equal(plain, generate(subject, pipe))
    return asdict(row)


def generate(subject: Subject, pipe: Any, **steps: int) -> list[Tensor]:
    """All that one generation returns; what draws without a generator draws the same in every generation."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return list_tensors(subject.run(pipe, **steps))


def try_place(
    subject: Subject, pipe: Any, policy: str, knobs: Mapping[str, Any], plain: list[Tensor], row: Row, is_default: bool
) -> str:
    """Generate twice with the cache; returns why it is refused, or what is wrong, or nothing."""
    try:
        cache = navicache.enable(pipe, policy, **subject.told, **knobs)
    except ValueError as refusal:
        return str(refusal)[:LONGEST]
    try:
        with cache:
            if not is_default:
                return check(plain, generate(subject, pipe, steps=FEW_STEPS))
            first = generate(subject, pipe)
            trace = cache.trace.runs
            second = generate(subject, pipe)
    except CannotCache as refusal:
        return str(refusal)[:LONGEST]
    except FAILURES as failure:
        return f"fails: {type(failure).__name__}: {failure}"[:LONGEST]
    row.steps, row.computed = sum(run.length for run in trace), sum(run.computed for run in trace)
    row.runs, row.equal_again = len(trace), are_equal(first, second)
    row.notes = sorted({note for run in trace for note in run.notes})
    return check(plain, first)


def check(plain: list[Tensor], cached: list[Tensor]) -> str:
    """What is wrong with an output; empty if nothing is."""
    if [(each.shape, each.dtype) for each in plain] != [(each.shape, each.dtype) for each in cached]:
        return "the output has another shape or dtype"
    if not all(torch.isfinite(each).all() for each in cached if each.is_floating_point()):
        return "values that are not finite"
    return ""


def are_equal(one: list[Tensor], other: list[Tensor]) -> bool:
    """Whether two outputs are bit-equal."""
    return len(one) == len(other) and all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


@contextmanager
def count_calls(pipe: Any) -> Iterator[dict[str, Calls]]:
    """Count the calls of every model of a pipeline."""
    models = list_models(pipe)
    calls = {name: Calls(type(model).__name__) for name, model in models.items()}
    handles = [model.register_forward_hook(make_counter(calls[name])) for name, model in models.items()]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def make_counter(calls: Calls) -> Any:
    """A hook that counts."""

    def count(module: nn.Module, args: Any, output: Any) -> None:
        calls.calls, calls.outputs = calls.calls + 1, len(list_tensors(output))

    return count


def list_tensors(output: Any) -> list[Tensor]:
    """All tensors, arrays and images in an output."""
    match output:
        case Tensor():
            return [output.detach().clone()]
        case np.ndarray():
            return [torch.from_numpy(output.copy())]
        case PIL.Image.Image():
            return [torch.from_numpy(np.array(output))]
        case Mapping():
            return [tensor for part in output.values() for tensor in list_tensors(part)]
        case list() | tuple():
            return [tensor for part in output for tensor in list_tensors(part)]
        case _:
            return []
