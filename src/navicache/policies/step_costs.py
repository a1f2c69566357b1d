"""What a reused step costs, from the sampler's noise levels, and the steps to compute for the least total cost.

    cost(i, o) = du_i^0.9 / ((1 - u_i + 0.02) (u_i + 0.02)^0.55) o^0.35,      du_i = u_i - u_(i+1)

u = sigma / (alpha + sigma) is the noise level: 1 is noise, 0 is clean. For a flow it is sigma itself. o counts the
steps since the last compute.

Each factor has a reason. An error of the output moves the latent by du. Only 1 - u of the latent is picture yet, so the
same move changes an early picture more; in the very first steps the sampler still takes it back, hence the 0.02. Near
the end the output turns faster. A longer gap predicts worse, but errors within it are corrected after it, so the cost
grows slowly with o. The exponents were fitted to the quality of 2,553 lists of steps on three embedded models; rougher
ones move a step or two (docs/research).
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

CLEAN_FLOOR = LEVEL_FLOOR = 0.02
PRICE_ROUNDS, TIE_BREAK = 60, 1e-6
WORTH_SPLITTING = 20.0  # prices: a gap that costs more is cheaper with one more compute in it, which saves a fifth


class CostExponents(NamedTuple):
    """The exponents of du, 1 - u, u and o."""

    move: float = 0.9
    clean: float = 1.0
    level: float = 0.55
    gap: float = 0.35


USUAL_EXPONENTS = CostExponents()


def compute_step_costs(levels: Sequence[float], exponents: CostExponents = USUAL_EXPONENTS) -> tuple[float, ...]:
    """Cost of reusing each step right after a computed one.

    Example:
        >>> [round(cost, 2) for cost in compute_step_costs((1.0, 0.9, 0.75, 0.5, 0.0))]
        [6.23, 1.58, 1.23, 1.48]
    """
    costs: list[float] = []
    for step, level in enumerate(levels[:-1]):
        move = level - levels[step + 1]
        if move <= 0:  # a sampler that evaluates a level twice
            move = max(0.0, (levels[max(0, step - 1)] - levels[step + 1]) / 2)
        picture = (1 - level + CLEAN_FLOOR) ** exponents.clean * (level + LEVEL_FLOOR) ** exponents.level
        costs.append(move**exponents.move / picture)
    return tuple(costs)


@cache
def choose_steps(
    costs: tuple[float, ...],
    budget: int,
    first_steps: int,
    last_steps: int = 1,
    gap_exponent: float = USUAL_EXPONENTS.gap,
) -> frozenset[int]:
    """The computed steps with the least cost: the first few, the last few, and others up to the budget.

    A price for each computed step turns the budget into a trade: the dearer a compute, the fewer are bought. Costs grow
    with the gap, so every budget has its price (a Monge cost), and bisection finds it.

    Example:
        >>> sorted(choose_steps((9.0, 5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0), 5, 2))
        [0, 1, 3, 5, 7]
        >>> sorted(choose_steps((9.0, 5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0), 5, 2, 2))
        [0, 1, 3, 6, 7]
    """
    # equal costs would make several steps worth the same price, and the budget fall between two prices
    costs = tuple(cost * (1 + TIE_BREAK * (0.618 * step % 1)) for step, cost in enumerate(costs))
    first = min(first_steps, len(costs) - 1)
    last = max(first, len(costs) - min(last_steps, max(budget - first, 1)))  # where the last steps begin
    free = min(max(budget - first - (len(costs) - last), 0), last - first)
    low, high = 0.0, 1.0 + sum(costs) * len(costs)
    chosen: list[int] = []
    for _ in range(PRICE_ROUNDS):
        price = (low + high) / 2
        bought = _choose_at_price(costs, first - 1, last, price, gap_exponent)
        low, high = (low, price) if len(bought) <= free else (price, high)
        if len(bought) <= free:
            chosen = bought
    return frozenset((*range(first), *_fill_gaps(chosen, costs, first - 1, last, free), *range(last, len(costs))))


def _choose_at_price(costs: Sequence[float], start: int, last: int, price: float, gap_exponent: float) -> list[int]:
    """The steps between `start` and `last` to compute if each costs this price."""
    best, before = [0.0] * (last + 1), [start] * (last + 1)
    for step in range(start + 1, last + 1):
        best[step] = float("inf")
    for here in range(start, last):
        reused = 0.0
        for step in range(here + 1, last + 1):
            total = best[here] + reused + (price if step < last else 0.0)
            if total < best[step]:
                best[step], before[step] = total, here
            reused += costs[step] * (step - here) ** gap_exponent
            if reused > WORTH_SPLITTING * price:
                break
    steps: list[int] = []
    step = before[last]
    while step > start:
        steps.append(step)
        step = before[step]
    return steps[::-1]


def _fill_gaps(chosen: Sequence[int], costs: Sequence[float], start: int, last: int, count: int) -> list[int]:
    """Add the dearest reused steps until `count` are chosen: equal costs can leave a few unbought."""
    steps = list(chosen)
    rest = sorted(set(range(start + 1, last)) - set(steps), key=lambda step: -costs[step])
    return sorted((*steps, *rest[: count - len(steps)]))
