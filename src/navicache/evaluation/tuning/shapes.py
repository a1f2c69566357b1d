"""Shapes of a schedule: how a list of computed steps of any length is laid over a sampler's noise levels."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from navicache.evaluation.tuning.weighted_lists import FIRST_STEPS, LISTS, weigh_steps
from navicache.policies.budget import count_first_steps
from navicache.policies.schedule_forms import PLAIN, TEXT_FLOW, ScheduleForm
from navicache.policies.step_costs import CostExponents, choose_steps, compute_step_costs

StepList = tuple[int, ...]
BuildList = Callable[[Sequence[float], int], StepList]  # of noise levels and a number of computed steps


class CostShape(NamedTuple):
    """A form of the default's schedule, or one with other ends or another cost."""

    form: ScheduleForm = PLAIN
    more_first: float = 0.0  # share of the budget that is computed at the start beyond the default's
    more_last: int = 0

    def build(self, levels: Sequence[float], budget: int) -> StepList:
        """The list of this length."""
        usual = count_first_steps(self.form, budget, levels)
        first = min(max(usual + round(self.more_first * budget), 1), budget)
        last, exponents = self.form.count_last_steps(budget) + self.more_last, self.form.exponents
        costs = compute_step_costs(tuple(levels), exponents)
        return tuple(sorted(choose_steps(costs, budget, first, last, exponents.gap)))


def vary_cost(**exponents: float) -> CostShape:
    """The plain form with another cost."""
    return CostShape(PLAIN._replace(exponents=CostExponents(**exponents)))


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
    "text flow": CostShape(TEXT_FLOW),
    "plain": CostShape(PLAIN),
    "steeper start": vary_cost(clean=1.2),
    "lighter end": vary_cost(level=0.4),
    "root of sigma, start 4": WeightShape("root of sigma, start 4"),
    "start 16, end 4": WeightShape("start 16, end 4"),
    "even move": vary_cost(move=1.0),
    "even gaps": vary_cost(gap=0.5),
    "sigma, start 8": WeightShape("sigma, start 8"),
    "longer start": CostShape(more_first=0.08),
    "root of sigma, start 16": WeightShape("root of sigma, start 16"),
    "start 4": WeightShape("start 4"),
    "log sigma": WeightShape("log sigma"),
    "longer end": CostShape(more_last=1),
}


def list_shapes(levels: Sequence[float], budget: int, form: ScheduleForm = PLAIN) -> dict[str, StepList]:
    """The list of every shape, each once, without that of the default, which has this form.

    Example:
        >>> lists = list_shapes([1 - step / 20 for step in range(21)], 8)
        >>> lists["text flow"], "plain" in lists
        ((0, 1, 2, 3, 5, 8, 13, 19), False)
        >>> {len(steps) for steps in lists.values()}
        {8}
    """
    seen = {CostShape(form).build(levels, budget)}
    found: dict[str, StepList] = {}
    for name, shape in SHAPES.items():
        steps = shape.build(levels, budget)
        if steps not in seen:
            seen.add(steps)
            found[name] = steps
    return found
