"""The forms of a schedule: how dear early steps are, and what is computed at both ends.

`TEXT_FLOW` is for flows that read text. The text leaves much open, and the first steps decide it: two fifths of the
budget and one step at the start, growing gaps, one step at the end. Lists that others searched on FLUX, Qwen-Image,
HunyuanVideo and Wan look like this (docs/results/published-lists).

`PLAIN` is for everything else: a third of the budget beyond five steps at the start, and a twelfth, one or two steps,
at the end. A model of pixels draws its edges late, and for noise prediction there are no published lists. Of a small
budget, five steps are worth more later.
"""

import math
from typing import NamedTuple

from navicache.policies.protocols import Step
from navicache.policies.step_costs import USUAL_EXPONENTS, CostExponents

ROUNDING = 1e-9  # a third of nine is three


class ScheduleForm(NamedTuple):
    """How a schedule is laid: the cost of a reused step, and what is computed at both ends."""

    exponents: CostExponents
    first_share: float  # of the budget, computed at the start
    offset: int  # added to the budget before the start gets its share
    last_share: float  # of the budget, computed at the end: at least one step
    most_last: int

    def count_first_steps(self, budget: int) -> int:
        """How many steps are computed at the start.

        Example:
            >>> [TEXT_FLOW.count_first_steps(budget) for budget in (25, 17, 9)]
            [10, 7, 4]
            >>> [PLAIN.count_first_steps(budget) for budget in (25, 17, 9)]
            [6, 4, 1]
        """
        return max(math.floor(self.first_share * (budget + self.offset) + ROUNDING), 1)

    def count_last_steps(self, budget: int) -> int:
        """How many steps are computed at the end.

        Example:
            >>> PLAIN.count_last_steps(25), PLAIN.count_last_steps(17), TEXT_FLOW.count_last_steps(25)
            (2, 1, 1)
        """
        return min(max(math.floor(self.last_share * budget + ROUNDING), 1), self.most_last)


PLAIN = ScheduleForm(USUAL_EXPONENTS, 1 / 3, -5, 1 / 12, 2)
TEXT_FLOW = ScheduleForm(CostExponents(clean=1.45), 2 / 5, 1, 0.0, 1)


def choose_form(step: Step) -> ScheduleForm:
    """The form of the schedule for what is known of the call.

    Example:
        >>> choose_form(Step(0, 0, has_text=True)) is TEXT_FLOW
        True
        >>> choose_form(Step(0, 0, has_text=True, is_flow=False)) is choose_form(Step(0, 0, is_flow=True)) is PLAIN
        True
    """
    return TEXT_FLOW if step.has_text and step.is_flow is not False else PLAIN
