"""Shapes of a schedule: how a list of computed steps of any length is laid over a sampler's noise levels."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from navicache.evaluation.tuning.weighted_lists import FIRST_STEPS, LISTS, weigh_steps
from navicache.policies.budget import BudgetGate, count_last_steps
from navicache.policies.step_costs import USUAL_EXPONENTS, CostExponents, choose_steps, compute_step_costs

StepList = tuple[int, ...]
BuildList = Callable[[Sequence[float], int], StepList]  # of noise levels and a number of computed steps


class CostShape(NamedTuple):
    """The default's schedule with other ends or another cost."""

    exponents: CostExponents = USUAL_EXPONENTS
    more_first: float = 0.0  # share of the budget that is computed at the start beyond the default's
    more_last: int = 0

    def build(self, levels: Sequence[float], budget: int) -> StepList:
        """The list of this length."""
        usual = BudgetGate(speedup=1.0).count_first_steps(budget)
        first = min(max(usual + round(self.more_first * budget), 1), budget)
        last = count_last_steps(budget) + self.more_last
        costs = compute_step_costs(levels, self.exponents)
        return tuple(sorted(choose_steps(costs, budget, first, last, self.exponents.gap)))


class WeightShape(NamedTuple):
    """A list that is dense where a weight is large."""

    name: str

    def build(self, levels: Sequence[float], budget: int) -> StepList:
        """The list of this length."""
        if budget <= FIRST_STEPS + 1:
            return CostShape().build(levels, budget)
        return tuple(weigh_steps(LISTS[self.name], levels, budget))


# What models want differs most in how dear early steps are (the exponent of 1 - u), then in how many are computed at
# the start and where the end begins. The order is that of the first round: where the time is short, the last are left.
SHAPES: dict[str, CostShape | WeightShape] = {
    "steeper start": CostShape(CostExponents(clean=1.2)),
    "lighter end": CostShape(CostExponents(level=0.4)),
    "root of sigma, start 4": WeightShape("root of sigma, start 4"),
    "start 16, end 4": WeightShape("start 16, end 4"),
    "even move": CostShape(CostExponents(move=1.0)),
    "even gaps": CostShape(CostExponents(gap=0.5)),
    "sigma, start 8": WeightShape("sigma, start 8"),
    "longer start": CostShape(more_first=0.08),
    "root of sigma, start 16": WeightShape("root of sigma, start 16"),
    "start 4": WeightShape("start 4"),
    "log sigma": WeightShape("log sigma"),
    "steep start": CostShape(CostExponents(clean=1.5), more_first=0.1),
    "longer end": CostShape(more_last=1),
    "longer ends": CostShape(more_first=0.08, more_last=1),
}


def list_shapes(levels: Sequence[float], budget: int) -> dict[str, StepList]:
    """The list of every shape, each once, without the default's own.

    Example:
        >>> lists = list_shapes([1 - step / 20 for step in range(21)], 8)
        >>> lists["steep start"]
        (0, 1, 2, 3, 4, 7, 13, 19)
        >>> {len(steps) for steps in lists.values()}
        {8}
    """
    seen = {CostShape().build(levels, budget)}
    found: dict[str, StepList] = {}
    for name, shape in SHAPES.items():
        steps = shape.build(levels, budget)
        if steps not in seen:
            seen.add(steps)
            found[name] = steps
    return found
