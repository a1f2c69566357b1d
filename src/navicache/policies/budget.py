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
from dataclasses import dataclass, field
from functools import cache

from navicache.policies.fixed import IndexGate
from navicache.policies.protocols import Measurement, RowRule, Step, Verdict

# The schedule needs no measurement; the predictor behind it does, and an output that is NaN or infinite must be known
# before it is reused. Both are told by the computes: one transfer after each.
OUTCOME: frozenset[Measurement] = frozenset({"outcome"})
SPENT, SAVED = Verdict(True, "budget"), Verdict(False, "budget")

START, END = 16.0, 4.0
START_REACH, END_REACH = 0.1, 0.05
USUAL_STEPS = 50  # shorter runs count as short; also of a run whose number of steps nobody tells, then even distances


def density(progress: float, share: float, total: int = USUAL_STEPS) -> float:
    """How closely computed steps stand where a share of all is computed; about 1 in the middle of a run.

    Example:
        >>> density(0.0, 0.5) > density(0.1, 0.5) > density(0.5, 0.5) < density(1.0, 0.5)
        True
    """
    start = START * min(1.0, 2.0 * share) ** 2
    ends = start * math.exp(-progress / START_REACH) + END * math.exp(-(1.0 - progress) / END_REACH)
    return 1.0 + min(1.0, total / USUAL_STEPS) * ends


@cache
def scheduled(total: int, budget: int, align_steps: int) -> frozenset[int]:
    """The steps to compute: the first `align_steps`, the last, and as many others as the budget has left.

    Example:
        >>> sorted(scheduled(12, 6, 3))
        [0, 1, 2, 4, 9, 11]
    """
    between = range(align_steps, total - 1)
    free = min(max(budget - align_steps - 1, 0), len(between))
    shares = _shares([density(step / max(1, total - 1), budget / total, total) for step in between], free)
    places: list[int] = []
    passed = 0.5
    for step, part in zip(between, shares, strict=True):
        passed += part
        if passed > len(places) + 1:
            places.append(step)
    return frozenset((*range(min(align_steps, total)), *places, total - 1))


def _shares(weights: list[float], count: int) -> list[float]:
    """The weights times one factor, cut off at 1, so that they add up to `count`.

    Example:
        >>> _shares([3.0, 1.0, 1.0], 2)
        [1.0, 0.5, 0.5]
    """
    falling = sorted(weights, reverse=True)
    factors = ((count - full) / sum(falling[full:]) for full in range(count))
    factor = next((f for full, f in enumerate(factors) if f * falling[full] <= 1), 0.0)
    return [min(1.0, weight * factor) for weight in weights]


@dataclass(frozen=True, kw_only=True)
class Budget(IndexGate):
    """Computes the steps of the schedule."""

    reads: frozenset[Measurement] = field(default=OUTCOME, init=False)

    speedup: float
    align_steps: int
    rows: RowRule = "sample"

    def decide(self, state: None, step: Step) -> tuple[Verdict, None]:
        """Compute where the schedule says so."""
        return SPENT if self.due(step) else SAVED, state

    def due(self, step: Step) -> bool:
        """Whether the schedule has this step; an engine that joins in mid-run has its share of the budget."""
        if step.total is None and step.own_index >= USUAL_STEPS:
            return step.own_index // self.speedup != (step.own_index - 1) // self.speedup
        total = USUAL_STEPS if step.total is None else step.total - (step.index - step.own_index)
        return step.own_index in scheduled(total, round(total / self.speedup), self.align_steps)


@dataclass(frozen=True, kw_only=True)
class Listed(IndexGate):
    """Computes the steps it was given, and nothing else."""

    reads: frozenset[Measurement] = field(default=OUTCOME, init=False)

    steps: Collection[int]
    rows: RowRule = "sample"

    def due(self, step: Step) -> bool:
        """Whether the list has this step."""
        return step.index in self.steps
