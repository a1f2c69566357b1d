"""L2P (arXiv:2604.26365, CVPR 2026; L2P-Cache 3df73ce4, src/flux): weights for every step, learnt from full runs.

    y_i ~ sum over j < i of W[i][j] y_j

y_j is what the model returned at step j or what was predicted in its place (learnable_utils/__init__.py keeps both). W
is fitted once, on runs with every step computed (predictor/train.py; `navicache calibrate --method l2p`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import isqrt
from typing import ClassVar

from navicache.policies.budget import scheduled
from navicache.policies.checks import (
    check_align_steps,
    check_flag,
    check_number,
    check_steps,
    check_table,
    check_whole,
)
from navicache.policies.guards import guarded
from navicache.policies.inertial import MOST_SPEEDUP
from navicache.policies.policy import Scheme
from navicache.policies.recurrence import Recurrence, Table, TableGate

# The steps that are computed, by interval, of 50 (FULL_STEP_SCHEDULES in model.py): chosen by hand, and no rule given.
OFFICIAL_STEPS = 50
OFFICIAL = {
    5: (0, 1, 2, 4, 6, 9, 14, 23, 30, 37, 44),
    6: (0, 1, 2, 4, 7, 14, 23, 31, 38, 45),
    7: (0, 1, 2, 4, 9, 17, 26, 35, 43),
    8: (0, 1, 2, 4, 10, 20, 31, 41),
    10: (0, 1, 2, 4, 12, 24, 38),
    16: (0, 1, 2, 4, 16, 32),
}


@dataclass(frozen=True)
class L2P:
    """Compute a list of steps, predict the others by the table.

    Which steps: `at` or, with `speedup`, those of `schedule`; else the official list of the interval where the table
    has 50 steps and there is one, else as TaylorSeer, with which those lists begin. A table is for one number of steps
    of one sampler; the official code does not ask whether it fits, and neither is it asked here. What lies beyond it is
    computed.

    Example:
        >>> sorted(L2P(weights=(1.0, -1.0, 2.0, 0.0, -1.0, 2.0), at=(0, 1)).schemes()[0].gate.gate.gate.at)
        [0, 1]
    """

    name: ClassVar[str] = "l2p"

    weights: tuple[float, ...] = ()  # of step 1: one; of step 2: two, the older first; and so on
    interval: int = 5
    align_steps: int = 3  # "first_enhance"
    at: Sequence[int] | None = None  # steps to compute, in place of the interval
    speedup: float | None = None  # likewise: as many steps as the table has, over this, where `inertial` has them
    last_step: bool = False  # the official lists leave it out

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_table("weights", self.weights, "1 of step 1, 2 of step 2, and so on")
        if len(self.weights) != sum(range(_rows(self.weights) + 1)):
            raise ValueError(f"weights must be 1 + 2 + 3 + ... numbers, one row a step; got {len(self.weights)}")
        check_whole("interval", self.interval, 1)
        check_align_steps(self.align_steps, at_least=1)
        if self.at is not None:
            check_steps("at", self.at)
        if self.speedup is not None:
            check_number("speedup", self.speedup, 1, MOST_SPEEDUP, "1 computes every step, 2 every other")
        if self.at is not None and self.speedup is not None:
            raise ValueError("at and speedup are targets of the same thing: give one of them")
        check_flag("last_step", self.last_step)

    def schemes(self) -> tuple[Scheme, ...]:
        """One list for all guidance branches; each is predicted from its own outputs."""
        if not self.weights:
            raise ValueError(
                "policy 'l2p' needs weights of the model at hand: fit them with `navicache calibrate --method l2p`"
            )
        steps = _rows(self.weights) + 1
        gate = guarded(
            TableGate(at=self._computed(steps), steps=steps), align_steps=self.align_steps, last_step=self.last_step
        )
        return (Scheme("model", gate, Recurrence(triangle(self.weights)), self.last_step, None),)

    def _computed(self, steps: int) -> frozenset[int]:
        if self.at is not None:
            return frozenset(self.at)
        if self.speedup is not None:
            return scheduled(steps, round(steps / self.speedup), self.align_steps)
        if steps == OFFICIAL_STEPS and self.interval in OFFICIAL:
            return frozenset(OFFICIAL[self.interval])
        begin = self.align_steps
        return frozenset(i for i in range(steps) if i < begin or (i - begin - 1) % self.interval == 0)


def triangle(values: tuple[float, ...]) -> Table:
    """Numbers as rows of one, two, three and so on.

    Example:
        >>> triangle((1.0, -1.0, 2.0))
        ((1.0,), (-1.0, 2.0))
    """
    ends = list(accumulate(range(_rows(values) + 1)))
    return tuple(values[start:end] for start, end in pairwise(ends))


def _rows(values: tuple[float, ...]) -> int:
    return (isqrt(8 * len(values) + 1) - 1) // 2
