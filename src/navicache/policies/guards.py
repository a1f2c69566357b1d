"""Guards that all policies share: wrappers that can turn a reuse into a compute, never the reverse.

The wrapped gate always decides too, so its state stays up to date. `learn` clears its accumulated error after every
computed step.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from navicache.policies.measured_fields import find_nonfinite_fields, has_finite_measurements
from navicache.policies.protocols import Decision, Gate, Measurement, Outcome, RowRule, Step, StreamRule

StateT = TypeVar("StateT")

REALIGN_STEPS = 2


def is_past_start(step: Step | Outcome) -> bool:
    """Whether the start of the run was computed before this engine began.

    The second expert of Wan 2.2, the second of two samplers and a batch that changed its size go on with a latent that
    knows where it goes. A latent with fresh noise does not, at whichever level: image to image begins with a start.

    Example:
        >>> is_past_start(Step(20, 0)), is_past_start(Step(0, 0, is_continued=True)), is_past_start(Step(0, 0))
        (True, True, False)
    """
    return step.is_continued or step.local_index < step.index


def is_aligning(step: Step | Outcome, align_steps: int) -> bool:
    """Whether a step belongs to the alignment; past the start it is only as long as a first ratio takes.

    Example:
        >>> [is_aligning(Step(i, i), 3) for i in range(4)], [is_aligning(Step(i + 20, i), 10) for i in range(4)]
        ([True, True, True, False], [True, True, False, False])
    """
    return step.local_index < (min(align_steps, REALIGN_STEPS) if is_past_start(step) else align_steps)


@dataclass(frozen=True)
class GateWrapper(Generic[StateT]):
    """Wraps a gate and passes every call on. Subclasses override `decide`."""

    inner_gate: Gate[StateT]

    @property
    def streams(self) -> StreamRule:
        """See the inner gate."""
        return self.inner_gate.streams

    @property
    def rows(self) -> RowRule:
        """See the inner gate."""
        return self.inner_gate.rows

    @property
    def reads(self) -> frozenset[Measurement]:
        """See the inner gate."""
        return self.inner_gate.reads

    def init(self) -> StateT:
        """See the inner gate."""
        return self.inner_gate.init()

    def decide(self, state: StateT, step: Step) -> tuple[Decision, StateT]:
        """See the inner gate."""
        return self.inner_gate.decide(state, step)

    def learn(self, state: StateT, outcome: Outcome) -> StateT:
        """See the inner gate."""
        return self.inner_gate.learn(state, outcome)

    def explain(self, state: StateT) -> Mapping[str, float]:
        """See the inner gate."""
        return self.inner_gate.explain(state)


@dataclass(frozen=True)
class ComputeGuard(GateWrapper[StateT]):
    """A wrapper that can turn a reuse into a compute, never the reverse."""

    def decide(self, state: StateT, step: Step) -> tuple[Decision, StateT]:
        """Take the inner gate's decision, unless the guard has a reason to compute."""
        decision, state = self.inner_gate.decide(state, step)
        reason = self.find_compute_reason(step)
        return decision if reason is None else Decision(True, reason), state

    def find_compute_reason(self, step: Step) -> str | None:
        """Return the reason to compute this step, or None to keep the inner gate's decision."""
        del step


@dataclass(frozen=True)
class AlignmentGuard(ComputeGuard[StateT]):
    """Computes the first `align_steps` steps: the paper's initial alignment."""

    align_steps: int

    def find_compute_reason(self, step: Step) -> str | None:
        """Compute while aligning."""
        return "align" if is_aligning(step, self.align_steps) else None


@dataclass(frozen=True)
class LastStepsGuard(ComputeGuard[StateT]):
    """Computes the last `end_steps` steps if the length of the run is known, and every step at time 0.

    At time 0 no noise is left: such a call stores keys and values of a finished chunk, for the chunks after it.
    """

    end_steps: int = 1

    def find_compute_reason(self, step: Step) -> str | None:
        """Compute at the end of the run."""
        is_last = step.total is not None and step.index >= step.total - self.end_steps
        return "last step" if is_last or step.time == 0 else None


@dataclass(frozen=True)
class LongestReuseGuard(ComputeGuard[StateT]):
    """Computes after at most `longest_reuse` consecutive reuses."""

    longest_reuse: int

    def find_compute_reason(self, step: Step) -> str | None:
        """Compute after too many reuses."""
        return "longest reuse" if step.gap > self.longest_reuse else None


@dataclass(frozen=True)
class FiniteGuard(ComputeGuard[StateT]):
    """Computes if a measurement is NaN or infinite, and keeps such values out of the inner gate's state."""

    def decide(self, state: StateT, step: Step) -> tuple[Decision, StateT]:
        """Compute if a measurement is not finite. The inner gate sees the step without that measurement."""
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
    """Wrap a gate in the guards that every policy has; `last_step` computes the last `end_steps` steps."""
    guard = gate if longest_reuse is None else LongestReuseGuard(gate, longest_reuse)
    guard = LastStepsGuard(guard, end_steps) if last_step else guard
    return FiniteGuard(AlignmentGuard(guard, align_steps))
