"""Schedule: the predictor of `inertial` with a fixed list of computed steps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from navicache.policies.budget import StepListGate
from navicache.policies.guards import add_guards
from navicache.policies.inertial import MAX_SPEEDUP, Inertial
from navicache.policies.knob_checks import check_align_steps, check_index_list, check_number
from navicache.policies.policy import Scheme


@dataclass(frozen=True)
class Schedule:
    """Predict as `inertial` does, and compute the steps of a list.

    Example:
        >>> gate = Schedule(at=(0, 1, 4)).schemes()[0].gate
        >>> from navicache.policies.protocols import Step
        >>> [i for i in range(6) if gate.decide(gate.init(), Step(index=i, local_index=i))[0].compute]
        [0, 1, 4]
    """

    name: ClassVar[str] = "schedule"

    at: Sequence[int] | None = None  # steps to compute, counted from 0
    speedup: float | None = None  # instead of `at`: steps of the run per computed step
    align_steps: int = 1  # always computed

    def __post_init__(self) -> None:
        """Check the knobs."""
        if self.at is not None and self.speedup is not None:
            raise ValueError("at and speedup exclude each other: give one of them")
        if self.at is not None:
            check_index_list("at", self.at)
        if self.speedup is not None:
            check_number("speedup", self.speedup, 1, MAX_SPEEDUP, "1 computes every step, 2 every other")
        check_align_steps(self.align_steps, minimum=1)

    def schemes(self) -> tuple[Scheme, ...]:
        """The scheme of `inertial` with another gate."""
        inertial = Inertial(speedup=self.speedup)
        (scheme,) = inertial.schemes()
        gate = inertial.build_gate() if self.at is None else StepListGate(computed_steps=frozenset(self.at))
        last_step = self.at is None  # a list is followed exactly
        guards = add_guards(gate, align_steps=self.align_steps, last_step=last_step)
        return (replace(scheme, gate=guards, computes_last_step=last_step),)
