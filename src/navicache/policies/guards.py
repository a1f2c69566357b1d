"""What all policies share, written once: wrappers that may turn a reuse into a compute, never the other way.

The wrapped gate is always asked, so that its own clock keeps running; its accumulated error is cleared by `learn`,
which follows every compute whoever ordered it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from navicache.policies.measured import all_finite, nonfinite_fields
from navicache.policies.protocols import Gate, Measurement, Outcome, RowRule, Step, StreamRule, Verdict

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
    def reads(self) -> frozenset[Measurement]:
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
    """A gate around a gate that may turn a reuse into a compute, never the other way: it has no word for a reuse."""

    def decide(self, state: S, step: Step) -> tuple[Verdict, S]:
        """As the gate inside, unless the guard insists on a compute."""
        verdict, state = self.gate.decide(state, step)
        reason = self.insists(step)
        return verdict if reason is None else Verdict(True, reason), state

    def insists(self, step: Step) -> str | None:
        """Why this step has to compute; None where the gate inside may have its way."""
        del step


@dataclass(frozen=True)
class Align(Guard[S]):
    """Compute the first `steps` steps: the paper's initial alignment."""

    steps: int

    def insists(self, step: Step) -> str | None:
        """While aligning."""
        early = step.own_index < self.steps and aligning(step.index, step.own_index, self.steps)
        return "align" if early else None


@dataclass(frozen=True)
class LastStep(Guard[S]):
    """Compute the last step of the run, or the last few, where their number is known."""

    steps: int = 1

    def insists(self, step: Step) -> str | None:
        """At the end."""
        return "last step" if step.total is not None and step.index >= step.total - self.steps else None


@dataclass(frozen=True)
class LongestReuse(Guard[S]):
    """Compute after at most `steps` reuses in a row."""

    steps: int

    def insists(self, step: Step) -> str | None:
        """When enough has been reused."""
        return "longest reuse" if step.gap > self.steps else None


@dataclass(frozen=True)
class Finite(Guard[S]):
    """Compute where a measurement is NaN or infinite, and keep such values away from the gate's memory."""

    def decide(self, state: S, step: Step) -> tuple[Verdict, S]:
        """Compute, and let the gate see the step without what cannot be trusted."""
        if all_finite(step):
            return self.gate.decide(state, step)
        _, state = self.gate.decide(state, step._replace(**dict.fromkeys(nonfinite_fields(step))))
        return Verdict(True, "not finite"), state

    def learn(self, state: S, outcome: Outcome) -> S:
        """Learn only what is finite."""
        broken = nonfinite_fields(outcome)
        return self.gate.learn(state, outcome._replace(**dict.fromkeys(broken)) if broken else outcome)


def guarded(
    gate: Gate[S],
    *,
    align_steps: int,
    last_step: bool,
    end_steps: int = 1,
    longest_reuse: int | None = None,
) -> Gate[S]:
    """The gate behind the guards every policy has; the last step may be the last few, `end_steps` of them."""
    guard = gate if longest_reuse is None else LongestReuse(gate, longest_reuse)
    guard = LastStep(guard, end_steps) if last_step else guard
    return Finite(Align(guard, align_steps))
