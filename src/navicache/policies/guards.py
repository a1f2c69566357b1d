"""What all policies share, written once: wrappers that may turn a reuse into a compute, never the other way.

The wrapped gate is always asked, so that its own clock keeps running; its accumulated error is cleared by `learn`,
which follows every compute whoever ordered it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from navicache.policies.protocols import Gate, Outcome, Reading, RowRule, Step, StreamRule, Verdict

S = TypeVar("S")

REALIGN_STEPS = 2


def aligning(index: int, own_index: int, align_steps: int) -> bool:
    """Whether a step belongs to the alignment.

    An engine that joins in mid-run (the second expert of Wan 2.2, a batch that changed its size) is past the
    turbulent start and needs just enough computed steps for a first ratio.

    Example:
        >>> [aligning(i, i, 3) for i in range(4)], [aligning(i + 20, i, 10) for i in range(4)]
        ([True, True, True, False], [True, True, False, False])
    """
    return own_index < (align_steps if index == own_index else min(align_steps, REALIGN_STEPS))


@dataclass(frozen=True)
class Around(Generic[S]):
    """A gate around a gate; by itself it changes nothing."""

    gate: Gate[S]

    @property
    def streams(self) -> StreamRule:
        """As the gate inside."""
        return self.gate.streams

    @property
    def rows(self) -> RowRule:
        """As the gate inside."""
        return self.gate.rows

    @property
    def reads(self) -> frozenset[Reading]:
        """As the gate inside."""
        return self.gate.reads

    def init(self) -> S:
        """As the gate inside."""
        return self.gate.init()

    def decide(self, state: S, step: Step) -> tuple[Verdict, S]:
        """As the gate inside."""
        return self.gate.decide(state, step)

    def learn(self, state: S, outcome: Outcome) -> S:
        """As the gate inside."""
        return self.gate.learn(state, outcome)

    def explain(self, state: S) -> Mapping[str, float]:
        """As the gate inside."""
        return self.gate.explain(state)


@dataclass(frozen=True)
class Guard(Around[S]):
    """A gate around a gate that may turn a reuse into a compute, never the other way."""

    def decide(self, state: S, step: Step) -> tuple[Verdict, S]:
        """As the gate inside, unless the guard insists on a compute."""
        verdict, state = self.gate.decide(state, step)
        return self.overrule(verdict, step), state

    def overrule(self, verdict: Verdict, step: Step) -> Verdict:
        """The guard's last word."""
        del step
        return verdict


@dataclass(frozen=True)
class Align(Guard[S]):
    """Compute the first `steps` steps: the paper's initial alignment."""

    steps: int

    def overrule(self, verdict: Verdict, step: Step) -> Verdict:
        """Compute while aligning."""
        early = step.own_index < self.steps and aligning(step.index, step.own_index, self.steps)
        return Verdict(True, "align") if early else verdict


@dataclass(frozen=True)
class LastStep(Guard[S]):
    """Compute the last step of the run, or the last few, where their number is known."""

    steps: int = 1

    def overrule(self, verdict: Verdict, step: Step) -> Verdict:
        """Compute at the end."""
        last = step.total is not None and step.index >= step.total - self.steps
        return Verdict(True, "last step") if last else verdict


@dataclass(frozen=True)
class LongestReuse(Guard[S]):
    """Compute after at most `steps` reuses in a row."""

    steps: int

    def overrule(self, verdict: Verdict, step: Step) -> Verdict:
        """Compute when enough has been reused."""
        return Verdict(True, "longest reuse") if step.gap > self.steps else verdict


@dataclass(frozen=True)
class Finite(Guard[S]):
    """Compute where a measurement is NaN or infinite, and keep such values away from the gate's memory."""

    def decide(self, state: S, step: Step) -> tuple[Verdict, S]:
        """Compute, and let the gate see the step without what cannot be trusted."""
        total = (step.since_seen or 0.0) + (step.since_computed or 0.0) + (step.output_size or 0.0)
        if step.by_channel is not None:
            total += sum(step.by_channel)
        if step.seen_size is not None or step.computed_size is not None:
            total += (step.seen_size or 0.0) + (step.computed_size or 0.0) + (step.relative_seen or 0.0)
        if math.isfinite(total):  # NaN and infinity survive a sum
            return self.gate.decide(state, step)
        _, state = self.gate.decide(state, step._replace(**dict.fromkeys(nonfinite_fields(step))))
        return Verdict(True, "not finite"), state

    def learn(self, state: S, outcome: Outcome) -> S:
        """Learn only what is finite."""
        return self.gate.learn(state, outcome._replace(**dict.fromkeys(nonfinite_fields(outcome))))


MEASURED = {
    Step: (
        "since_seen",
        "since_computed",
        "output_size",
        "by_channel",
        "seen_size",
        "computed_size",
        "relative_seen",
    ),
    Outcome: (
        "input_change",
        "output_change",
        "output_size",
        "prediction_error",
        "input_by_channel",
        "output_by_channel",
        "products",
        "repeat",
    ),
}


def nonfinite_fields(facts: Step | Outcome) -> tuple[str, ...]:
    """Names of the measurements that are NaN or infinite.

    Example:
        >>> nonfinite_fields(Outcome(index=3, own_index=3, input_change=math.inf, output_size=1.0))
        ('input_change',)
    """
    return tuple(name for name in MEASURED[type(facts)] if not _finite(getattr(facts, name)))


def _finite(value: float | tuple[Any, ...] | None) -> bool:
    if value is None:
        return True
    return all(map(_finite, value)) if isinstance(value, tuple) else math.isfinite(value)


def guarded(
    gate: Gate[S],
    *,
    align_steps: int,
    last_step: int,
    longest_reuse: int | None = None,
) -> Gate[S]:
    """The gate behind the guards every policy has; `last_step` may also be how many of them."""
    guard = gate if longest_reuse is None else LongestReuse(gate, longest_reuse)
    guard = LastStep(guard, int(last_step)) if last_step else guard
    return Finite(Align(guard, align_steps))
