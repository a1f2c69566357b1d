"""The schedule for a target speed-up: computed steps are dense at both ends of the run.

    B = N / speedup computed steps: the first few, the last, and others where the sum of a density passes an integer
    density(p) = 1 + h (16 min(1, 2B / N)^2 exp(-p / 0.1) + 4 exp(-(1 - p) / 0.05)),      p from 0 to 1
    h = min(1, N / 50)

At the start the output changes direction, and an error is carried through the whole run. At the end it changes
direction again, and no later step can correct an error. With a small budget less of it is spent at the start, and in a
short run less at both ends: long gaps in the middle would cost more. Measured errors do not show where computed steps
help most: schedules corrected by measured errors did better on one model and worse on another (docs/research). So the
schedule is the same for every model, and every video meets its speed-up exactly.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache

from navicache.policies.fixed_schedules import IndexGate
from navicache.policies.protocols import Decision, Measurement, RowRule, Step

# The schedule needs no measurement. The predictor behind it does, and an output that is NaN or infinite must be known
# before it is reused. Both need one transfer after each computed step.
OUTCOME_ONLY: frozenset[Measurement] = frozenset({"outcome"})
BUDGET_COMPUTE, BUDGET_REUSE = Decision(True, "budget"), Decision(False, "budget")

START_DENSITY, END_DENSITY = 16.0, 4.0
START_DECAY, END_DECAY = 0.1, 0.05
# Runs with fewer steps count as short. Also assumed if the number of steps is unknown; later steps are evenly spaced.
DEFAULT_TOTAL_STEPS = 50


def compute_density(progress: float, computed_share: float, total_steps: int = DEFAULT_TOTAL_STEPS) -> float:
    """Relative density of computed steps at a point of the run; about 1 in the middle.

    Example:
        >>> [round(compute_density(progress, 0.5), 1) for progress in (0.0, 0.1, 0.5, 1.0)]
        [17.0, 6.9, 1.1, 5.0]
    """
    start = START_DENSITY * min(1.0, 2.0 * computed_share) ** 2
    ends = start * math.exp(-progress / START_DECAY) + END_DENSITY * math.exp(-(1.0 - progress) / END_DECAY)
    return 1.0 + min(1.0, total_steps / DEFAULT_TOTAL_STEPS) * ends


@cache
def build_schedule(total_steps: int, budget: int, align_steps: int) -> frozenset[int]:
    """Choose the steps to compute: the first `align_steps`, the last, and others up to the budget.

    Example:
        >>> sorted(build_schedule(12, 6, 3))
        [0, 1, 2, 4, 9, 11]
    """
    between = range(align_steps, total_steps - 1)
    free = min(max(budget - align_steps - 1, 0), len(between))
    shares = _scale_weights_to_sum(
        [compute_density(step / max(1, total_steps - 1), budget / total_steps, total_steps) for step in between], free
    )
    places: list[int] = []
    passed = 0.5
    for step, part in zip(between, shares, strict=True):
        passed += part
        if passed > len(places) + 1:
            places.append(step)
    return frozenset((*range(min(align_steps, total_steps)), *places, total_steps - 1))


def _scale_weights_to_sum(weights: list[float], target_sum: int) -> list[float]:
    """Scale the weights by one factor, capped at 1 each, so that they add up to `target_sum`.

    Example:
        >>> _scale_weights_to_sum([3.0, 1.0, 1.0], 2)
        [1.0, 0.5, 0.5]
    """
    falling = sorted(weights, reverse=True)
    factors = ((target_sum - full) / sum(falling[full:]) for full in range(target_sum))
    factor = next((f for full, f in enumerate(factors) if f * falling[full] <= 1), 0.0)
    return [min(1.0, weight * factor) for weight in weights]


@dataclass(frozen=True, kw_only=True)
class BudgetGate(IndexGate):
    """Computes the scheduled steps."""

    reads: frozenset[Measurement] = field(default=OUTCOME_ONLY, init=False)

    speedup: float
    align_steps: int
    rows: RowRule = "sample"

    def decide(self, state: None, step: Step) -> tuple[Decision, None]:
        """Compute if the schedule has this step."""
        return BUDGET_COMPUTE if self.is_scheduled(step) else BUDGET_REUSE, state

    def is_scheduled(self, step: Step) -> bool:
        """Whether the schedule has this step. An engine that joins in mid-run gets its share of the budget."""
        if step.total is None and step.local_index >= DEFAULT_TOTAL_STEPS:
            return step.local_index // self.speedup != (step.local_index - 1) // self.speedup
        total = DEFAULT_TOTAL_STEPS if step.total is None else step.total - (step.index - step.local_index)
        return step.local_index in build_schedule(total, round(total / self.speedup), self.align_steps)


@dataclass(frozen=True, kw_only=True)
class StepListGate(IndexGate):
    """Computes a given list of steps, and no others."""

    reads: frozenset[Measurement] = field(default=OUTCOME_ONLY, init=False)

    computed_steps: Collection[int]
    rows: RowRule = "sample"

    def is_scheduled(self, step: Step) -> bool:
        """Whether the list has this step."""
        return step.index in self.computed_steps
