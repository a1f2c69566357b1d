"""Lists in hindsight from the cost of a reused step, with other exponents and other ends than the default's, by name.

"cost 1.4, start 1/3, level 0.3" has the exponent 1.4 of 1 - u, 0.3 of u, those of src/navicache/policies/step_costs.py
for the rest, a third of its steps at the start and one at the end.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from navicache.policies.step_costs import CostExponents, choose_steps, compute_step_costs

STARTS = {"usual start": None, "start 1/3": 1 / 3, "start 2/5": 2 / 5, "start 1/2": 1 / 2}
CLEAN = (1.0, 1.2, 1.4, 1.6, 1.8)
VARIED_CLEAN, VARIED_STARTS = (1.2, 1.4, 1.7), ("start 1/3", "start 1/2")
VARIED: tuple[dict[str, float], ...] = (
    {"gap": 0.7},
    {"gap": 1.0},
    {"level": 0},
    {"level": 0.3},
    {"level": 0.3, "gap": 0.7},
    {"level": 0.3, "gap": 0.7, "move": 0.7},
    {"move": 0.5},
    {"move": 0.7},
)
TWO_LAST = ("cost 1.2, start 1/3", "cost 1.4, start 1/3")
LAST_DEFAULT = "list of the last default"


class CostList(NamedTuple):
    """The exponents of a cost, and what is computed at both ends."""

    exponents: CostExponents
    first_share: float | None = None  # of the budget; None: a third of what it has beyond five steps
    last_steps: int | None = 1  # None: a twelfth of the budget, one or two

    def choose(self, levels: Sequence[float], count: int) -> list[int]:
        """The steps that it computes; `levels` is one longer than the run.

        Example:
            >>> levels = [1 - step / 20 for step in range(21)]
            >>> COST_LISTS["cost 1.4, start 1/3"].choose(levels, 7)
            [0, 1, 2, 3, 6, 12, 19]
        """
        first = (count - 5) // 3 if self.first_share is None else round(count * self.first_share)
        last = min(max(count // 12, 1), 2) if self.last_steps is None else self.last_steps
        costs = compute_step_costs(levels, self.exponents)
        return sorted(choose_steps(costs, count, max(first, 1), last, self.exponents.gap))


def build_lists() -> dict[str, CostList]:
    """All of them: the exponent of 1 - u by the start, then the other exponents, then the end."""
    found = {
        f"cost {clean}, {start}": CostList(CostExponents(clean=clean), share)
        for clean, (start, share) in itertools.product(CLEAN, STARTS.items())
    }
    for clean, start, varied in itertools.product(VARIED_CLEAN, VARIED_STARTS, VARIED):
        words = [f"cost {clean}", start, *(f"{name} {value}" for name, value in varied.items())]
        found[", ".join(words)] = CostList(CostExponents(clean=clean, **varied), STARTS[start])
    found |= {f"{name}, two last steps": found[name]._replace(last_steps=2) for name in TWO_LAST}
    return {**found, LAST_DEFAULT: CostList(CostExponents(), None, None)}


COST_LISTS = build_lists()
