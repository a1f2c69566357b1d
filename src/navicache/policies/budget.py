"""A speed-up as a target: a schedule of computed steps, dense at both ends of the run.

    B = N / speedup computed steps: the first few, the last, and the others where the sum of a density passes a number
    density(p) = 1 + h (16 min(1, 2B / N)^2 exp(-p / 0.1) + 4 exp(-(1 - p) / 0.05)),      p from 0 to 1
    h = min(1, N / 50)

At first the output turns, and an error is carried through the whole run; at the end it turns once more, and nothing
mends an error. Whoever may compute little is better off with less of it at the start, and a short run with less at both
ends, which are a good part of it: long gaps in the middle cost more than is gained there. Errors are measured, but
where a run deserves its computes cannot be told from them: schedules that were corrected by measured errors did better
on one model and worse on another (docs/research). So the schedule is the same for every model, and every video meets
its speed-up exactly.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from navicache.policies.error_gate import ErrorGateState
from navicache.policies.guards import GateWrapper
from navicache.policies.protocols import Step, Decision
from navicache.policies.decisions import SCHEDULE_COMPUTE, SCHEDULE_REUSE

BUDGET_COMPUTE, BUDGET_REUSE = Decision(True, "budget"), Decision(False, "budget")

START_DENSITY, END_DENSITY = 16.0, 4.0
START_DECAY, END_DECAY = 0.1, 0.05
DEFAULT_TOTAL_STEPS = (
    50  # shorter runs count as short; also of a run whose number of steps nobody tells, then even distances
)


def compute_density(progress: float, computed_share: float, total_steps: int = DEFAULT_TOTAL_STEPS) -> float:
    """How closely computed steps stand where a share of all is computed; about 1 in the middle of a run.

    Example:
        >>> compute_density(0.0, 0.5) > compute_density(0.1, 0.5) > compute_density(0.5, 0.5) < compute_density(1.0, 0.5)
        True
    """
    start = START_DENSITY * min(1.0, 2.0 * computed_share) ** 2
    ends = start * math.exp(-progress / START_DECAY) + END_DENSITY * math.exp(-(1.0 - progress) / END_DECAY)
    return 1.0 + min(1.0, total_steps / DEFAULT_TOTAL_STEPS) * ends


@cache
def build_schedule(total_steps: int, budget: int, align_steps: int) -> frozenset[int]:
    """The steps to compute: the first `align_steps`, the last, and as many others as the budget has left.

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
    """The weights times one factor, cut off at 1, so that they add up to `count`.

    Example:
        >>> _scale_weights_to_sum([3.0, 1.0, 1.0], 2)
        [1.0, 0.5, 0.5]
    """
    falling = sorted(weights, reverse=True)
    factors = ((target_sum - full) / sum(falling[full:]) for full in range(target_sum))
    factor = next((f for full, f in enumerate(factors) if f * falling[full] <= 1), 0.0)
    return [min(1.0, weight * factor) for weight in weights]


@dataclass(frozen=True)
class BudgetGate(GateWrapper[ErrorGateState]):
    """Computes the steps of the schedule; the gate inside only measures errors, for the trace."""

    speedup: float
    align_steps: int

    def decide(self, state: ErrorGateState, step: Step) -> tuple[Decision, ErrorGateState]:
        """Compute where the schedule says so."""
        _, state = self.inner_gate.decide(state, step)
        return BUDGET_COMPUTE if self.is_scheduled(step) else BUDGET_REUSE, state

    def is_scheduled(self, step: Step) -> bool:
        """Whether the schedule has this step; an engine that joins in mid-run has its share of the budget."""
        if step.total is None and step.own_index >= DEFAULT_TOTAL_STEPS:
            return step.own_index // self.speedup != (step.own_index - 1) // self.speedup
        total = DEFAULT_TOTAL_STEPS if step.total is None else step.total - (step.index - step.own_index)
        return step.own_index in build_schedule(total, round(total / self.speedup), self.align_steps)


@dataclass(frozen=True)
class StepListGate(GateWrapper[ErrorGateState]):
    """Computes the steps it was given, and nothing else."""

    computed_steps: Collection[int]

    def decide(self, state: ErrorGateState, step: Step) -> tuple[Decision, ErrorGateState]:
        """Compute where the list says so."""
        _, state = self.inner_gate.decide(state, step)
        return SCHEDULE_COMPUTE if step.index in self.computed_steps else SCHEDULE_REUSE, state
