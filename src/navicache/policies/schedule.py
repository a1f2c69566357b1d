"""Schedule: the predictor of `inertial` on steps that were fixed beforehand, for whoever knows better or compares."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from navicache.policies.budget import Listed
from navicache.policies.checks import check_align_steps, check_number, check_steps
from navicache.policies.guards import guarded
from navicache.policies.inertial import MOST_SPEEDUP, Inertial
from navicache.policies.policy import Scheme


@dataclass(frozen=True)
class Schedule:
    """Compute the steps of a list, or so many of them, dense at both ends of the run (budget.py).

    Example:
        >>> gate = Schedule(at=(0, 1, 4)).schemes()[0].gate
        >>> from navicache.policies.protocols import Step
        >>> [i for i in range(6) if gate.decide(gate.init(), Step(index=i, own_index=i))[0].compute]
        [0, 1, 4]
    """

    name: ClassVar[str] = "schedule"

    at: Sequence[int] | None = None  # steps to compute, counted from 0
    speedup: float | None = None  # in their place: as many steps as the run has, over this
    align_steps: int = 1  # computed in any case

    def __post_init__(self) -> None:
        """Check the knobs."""
        if self.at is not None and self.speedup is not None:
            raise ValueError("at and speedup are targets of the same thing: give one of them")
        if self.at is not None:
            check_steps("at", self.at)
        if self.speedup is not None:
            check_number("speedup", self.speedup, 1, MOST_SPEEDUP, "1 computes every step, 2 every other")
        check_align_steps(self.align_steps, at_least=1)

    def schemes(self) -> tuple[Scheme, ...]:
        """The scheme of `inertial` with another gate."""
        ours = Inertial(speedup=self.speedup)
        (scheme,) = ours.schemes()
        gate = ours.gate() if self.at is None else Listed(steps=frozenset(self.at))
        last_step = self.at is None  # a list is taken at its word
        guards = guarded(gate, align_steps=self.align_steps, last_step=last_step)
        return (replace(scheme, gate=guards, last_step=last_step),)
