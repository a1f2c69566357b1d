"""L2P (arXiv:2604.26365, CVPR 2026; L2P-Cache 3df73ce4, src/flux): weights for every step, learnt from full runs.

    y_i ~ sum over j < i of W[i][j] y_j

y_j is the output of step j, computed or predicted (learnable_utils/__init__.py keeps both). W is fitted once, on runs
with every step computed (predictor/train.py; `navicache calibrate --method l2p`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import isqrt
from typing import ClassVar

from navicache.policies.budget import DEFAULT_SHIFT, build_schedule
from navicache.policies.guards import add_guards
from navicache.policies.inertial import MAX_SPEEDUP
from navicache.policies.knob_checks import (
    check_align_steps,
    check_bool,
    check_index_list,
    check_integer,
    check_number,
    check_number_tuple,
)
from navicache.policies.linear_recurrence import LinearRecurrence, TableStepsGate, WeightTable
from navicache.policies.noise_levels import build_shifted_levels
from navicache.policies.policy import Scheme

# The computed steps of 50, by interval (FULL_STEP_SCHEDULES in model.py): chosen by hand, no rule is given.
OFFICIAL_TOTAL_STEPS = 50
OFFICIAL_SCHEDULES = {
    5: (0, 1, 2, 4, 6, 9, 14, 23, 30, 37, 44),
    6: (0, 1, 2, 4, 7, 14, 23, 31, 38, 45),
    7: (0, 1, 2, 4, 9, 17, 26, 35, 43),
    8: (0, 1, 2, 4, 10, 20, 31, 41),
    10: (0, 1, 2, 4, 12, 24, 38),
    16: (0, 1, 2, 4, 16, 32),
}


@dataclass(frozen=True)
class L2P:
    """Compute a list of steps; predict the others with weights that were fitted to the model.

    The computed steps are `at`, or with `speedup` those of `schedule`. Otherwise they are the official list of the
    interval if there is one and the table has 50 steps, else those of TaylorSeer, with which the official lists start.
    A table is for one sampler with one number of steps. As in the official code, the sampler is not checked. Steps
    beyond the table are computed.

    Example:
        >>> gate = L2P(weights=(1.0, -1.0, 2.0, 0.0, -1.0, 2.0), at=(0, 1)).schemes()[0].gate
        >>> sorted(gate.inner_gate.inner_gate.computed_steps)
        [0, 1]
    """

    name: ClassVar[str] = "l2p"

    weights: tuple[float, ...] = ()  # one weight of step 1; two of step 2, the older output first; and so on
    interval: int = 5
    align_steps: int = 3  # "first_enhance"
    at: Sequence[int] | None = None  # steps to compute, instead of the interval
    speedup: float | None = None  # instead of the interval: steps of the table per computed step, placed as `inertial`
    last_step: bool = False  # the official lists do not compute it

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_number_tuple("weights", self.weights, "1 of step 1, 2 of step 2, and so on")
        if len(self.weights) != sum(range(_count_triangle_rows(self.weights) + 1)):
            raise ValueError(f"weights must be 1 + 2 + 3 + ... numbers, one row per step; got {len(self.weights)}")
        check_integer("interval", self.interval, 1)
        check_align_steps(self.align_steps, minimum=1)
        if self.at is not None:
            check_index_list("at", self.at)
        if self.speedup is not None:
            check_number("speedup", self.speedup, 1, MAX_SPEEDUP, "1 computes every step, 2 every other")
        if self.at is not None and self.speedup is not None:
            raise ValueError("at and speedup exclude each other: give one of them")
        check_bool("last_step", self.last_step)

    def schemes(self) -> tuple[Scheme, ...]:
        """One list for all guidance branches; each branch is predicted from its own outputs."""
        if not self.weights:
            raise ValueError(
                "policy 'l2p' needs weights of this model: fit them with `navicache calibrate --method l2p`"
            )
        steps = _count_triangle_rows(self.weights) + 1
        gate = add_guards(
            TableStepsGate(computed_steps=self._choose_computed_steps(steps), table_steps=steps),
            align_steps=self.align_steps,
            last_step=self.last_step,
        )
        return (Scheme("model", gate, LinearRecurrence(split_triangle_rows(self.weights)), self.last_step, None),)

    def _choose_computed_steps(self, total_steps: int) -> frozenset[int]:
        if self.at is not None:
            return frozenset(self.at)
        if self.speedup is not None:
            levels = build_shifted_levels(total_steps, DEFAULT_SHIFT)
            return build_schedule(levels, round(total_steps / self.speedup), self.align_steps)
        if total_steps == OFFICIAL_TOTAL_STEPS and self.interval in OFFICIAL_SCHEDULES:
            return frozenset(OFFICIAL_SCHEDULES[self.interval])
        begin = self.align_steps
        return frozenset(i for i in range(total_steps) if i < begin or (i - begin - 1) % self.interval == 0)


def split_triangle_rows(values: tuple[float, ...]) -> WeightTable:
    """Split numbers into rows of one, two, three and so on.

    Example:
        >>> split_triangle_rows((1.0, -1.0, 2.0))
        ((1.0,), (-1.0, 2.0))
    """
    ends = list(accumulate(range(_count_triangle_rows(values) + 1)))
    return tuple(values[start:end] for start, end in pairwise(ends))


def _count_triangle_rows(values: tuple[float, ...]) -> int:
    return (isqrt(8 * len(values) + 1) - 1) // 2
