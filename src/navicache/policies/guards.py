"""What all policies share, written once: wrappers that may turn a reuse into a compute, never the other way.

The wrapped gate is always asked, so that its own clock keeps running; its accumulated error is cleared by `learn`,
which follows every compute whoever ordered it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from navicache.policies.measured_fields import has_finite_measurements, find_nonfinite_fields
from navicache.policies.protocols import Gate, Measurement, Outcome, RowRule, Step, StreamRule, Decision

StateT = TypeVar("S")

REALIGN_STEPS = 2


def is_aligning(index: int, own_index: int, align_steps: int) -> bool:
    """Whether a step belongs to the alignment.

    An engine that joins in mid-run (the second expert of Wan 2.2, a batch that changed its size) is past the
    turbulent start and needs just enough computed steps for a first ratio.

    Example:
        >>> [is_aligning(i, i, 3) for i in range(4)], [is_aligning(i + 20, i, 10) for i in range(4)]
        ([True, True, True, False], [True, True, False, False])
    """
    return own_index < (align_steps if index == own_index else min(align_steps, REALIGN_STEPS))


@dataclass(frozen=True)
class GateWrapper(Generic[StateT]):
    """A gate around a gate; by itself it changes nothing."""

    inner_gate: Gate[StateT]

    @property
    def streams(self) -> StreamRule:
        """As the gate inside."""
        return self.inner_gate.streams

    @property
    def rows(self) -> RowRule:
        """As the gate inside."""
        return self.inner_gate.rows

    @property
    def reads(self) -> frozenset[Measurement]:
        """As the gate inside."""
        return self.inner_gate.reads

    def init(self) -> StateT:
        """As the gate inside."""
        return self.inner_gate.init()

    def decide(self, state: StateT, step: Step) -> tuple[Decision, StateT]:
        """As the gate inside."""
        return self.inner_gate.decide(state, step)

    def learn(self, state: StateT, outcome: Outcome) -> StateT:
        """As the gate inside."""
        return self.inner_gate.learn(state, outcome)

    def explain(self, state: StateT) -> Mapping[str, float]:
        """As the gate inside."""
        return self.inner_gate.explain(state)


@dataclass(frozen=True)
class ComputeGuard(GateWrapper[StateT]):
    """A gate around a gate that may turn a reuse into a compute, never the other way: it has no word for a reuse."""

    def decide(self, state: StateT, step: Step) -> tuple[Decision, StateT]:
        """As the gate inside, unless the guard insists on a compute."""
        verdict, state = self.inner_gate.decide(state, step)
        reason = self.find_compute_reason(step)
        return verdict if reason is None else Decision(True, reason), state

    def find_compute_reason(self, step: Step) -> str | None:
        """Why this step has to compute; None where the gate inside may have its way."""
        del step


@dataclass(frozen=True)
class AlignmentGuard(ComputeGuard[StateT]):
    """Compute the first `align_steps` steps: the paper's initial alignment."""

    align_steps: int

    def find_compute_reason(self, step: Step) -> str | None:
        """While aligning."""
        early = step.own_index < self.align_steps and is_aligning(step.index, step.own_index, self.align_steps)
        return "align" if early else None


@dataclass(frozen=True)
class LastStepsGuard(ComputeGuard[StateT]):
    """Compute the last step of the run, or the last few, where their number is known."""

    end_steps: int = 1

    def find_compute_reason(self, step: Step) -> str | None:
        """At the end."""
        return "last step" if step.total is not None and step.index >= step.total - self.end_steps else None


@dataclass(frozen=True)
class LongestReuseGuard(ComputeGuard[StateT]):
    """Compute after at most `align_steps` reuses in a row."""

    longest_reuse: int

    def find_compute_reason(self, step: Step) -> str | None:
        """When enough has been reused."""
        return "longest reuse" if step.gap > self.longest_reuse else None


@dataclass(frozen=True)
class FiniteGuard(ComputeGuard[StateT]):
    """Compute where a measurement is NaN or infinite, and keep such values away from the gate's memory."""

    def decide(self, state: StateT, step: Step) -> tuple[Decision, StateT]:
        """Compute, and let the gate see the step without what cannot be trusted."""
        if has_finite_measurements(step):
            return self.inner_gate.decide(state, step)
        _, state = self.inner_gate.decide(state, step._replace(**dict.fromkeys(find_nonfinite_fields(step))))
        return Decision(True, "not finite"), state

    def learn(self, state: StateT, outcome: Outcome) -> StateT:
        """Learn only what is finite."""
        broken = find_nonfinite_fields(outcome)
        return self.inner_gate.learn(state, outcome._replace(**dict.fromkeys(broken)) if broken else outcome)


def add_guards(
    gate: Gate[StateT],
    *,
    align_steps: int,
    last_step: bool,
    end_steps: int = 1,
    longest_reuse: int | None = None,
) -> Gate[StateT]:
    """The gate behind the guards every policy has; the last step may be the last few, `end_steps` of them."""
    guard = gate if longest_reuse is None else LongestReuseGuard(gate, longest_reuse)
    guard = LastStepsGuard(guard, end_steps) if last_step else guard
    return FiniteGuard(AlignmentGuard(guard, align_steps))
