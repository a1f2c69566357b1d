"""The schedule for a target speed-up: B = N / speedup computed steps, where the sampler's noise levels ask for them.

A third of the budget beyond five steps is computed at the start without a gap, and a twelfth of the budget, one or two
steps, at the end; the others so that the reused steps cost least (step_costs.py). A run that starts with gaps can turn
to another picture, most of all with guidance, and the output turns fastest just before the end. Of a small budget, five
steps are worth more later. The noise levels are taken from the first source that has them:

1. The scheduler tells all of them before the run. The schedule is then fixed.
2. The model is told its time at every call. Levels so far are read from it, those to come follow the flow's shift that
   fits them. Times that count betas are no levels: a shift stands for them (noise_levels.py).
3. The input moves by d = mean |x_i - x_j| / mean |y_i| between two computed steps; at level u a flow has moved 1 - u.

With 2 and 3 the rest of the budget is laid out again at every step. The budget stays exact. Measured errors do not move
the schedule: they did better on one model and worse on another (docs/research).
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from navicache.policies.decisions import PlainGate
from navicache.policies.fixed_schedules import IndexGate
from navicache.policies.guards import REALIGN_STEPS
from navicache.policies.noise_levels import (
    build_shifted_levels,
    counts_betas,
    estimate_level,
    fit_shift,
    scale_betas_shift,
)
from navicache.policies.protocols import Decision, Measurement, NoiseLevels, Outcome, RowRule, Step, StreamRule
from navicache.policies.step_costs import choose_steps, compute_step_costs

# The schedule needs no measurement. The predictor behind it does, and an output that is NaN or infinite must be known
# before it is reused. Both need one transfer after each computed step.
OUTCOME_ONLY: frozenset[Measurement] = frozenset({"outcome"})
BUDGET_COMPUTE, BUDGET_REUSE = Decision(True, "budget"), Decision(False, "budget")

DEFAULT_TOTAL_STEPS = 50  # assumed if the number of steps is unknown; later steps are evenly spaced
DEFAULT_SHIFT = 3.0  # assumed until something is known of the noise levels
LATER_STEPS, FIRST_SHARE = 5, 3  # beyond five steps of the budget one in three is computed at the start
LAST_SHARE, MOST_LAST_STEPS = 12, 2  # and of the whole budget one in twelve at the end
FEW_STEPS_FIRST, FEW_STEPS_REUSED = 2, 4  # a run of few steps computes two at the start, and reuses one in four at most


@cache
def build_schedule(levels: NoiseLevels, budget: int, align_steps: int) -> frozenset[int]:
    """Choose the steps to compute: the first `align_steps`, the last ones, and others up to the budget.

    Example:
        >>> sorted(build_schedule(build_shifted_levels(12, 3.0), 6, 2))
        [0, 1, 3, 6, 9, 11]
    """
    return choose_steps(compute_step_costs(levels), budget, align_steps, count_last_steps(budget))


@cache
def _build_rest(levels: NoiseLevels, budget_left: int, last_computed: int, last_steps: int) -> frozenset[int]:
    """The steps to compute after `last_computed`, the last ones of the run among them."""
    costs = compute_step_costs(levels)[last_computed:]
    return frozenset(last_computed + step for step in choose_steps(costs, 1 + budget_left, 1, last_steps))


def count_last_steps(budget: int) -> int:
    """How many steps are computed at the end.

    Example:
        >>> count_last_steps(25), count_last_steps(17)
        (2, 1)
    """
    return min(max(budget // LAST_SHARE, 1), MOST_LAST_STEPS)


class BudgetState(NamedTuple):
    """What a run has shown of its noise levels, and what it has computed so far."""

    first_time: float | None = None  # of the second step: that of the first is not read in every run
    first_step: int = 0  # whose time that is
    shift: float = DEFAULT_SHIFT
    distance: float = 0.0  # that the input has moved, from computed step to computed step
    computed: int = 0
    last_computed: int = 0


@dataclass(frozen=True, kw_only=True)
class BudgetGate(PlainGate[BudgetState]):
    """Computes the scheduled steps."""

    streams: StreamRule = field(default="lead", init=False)
    reads: frozenset[Measurement] = field(default=OUTCOME_ONLY, init=False)

    speedup: float
    align_steps: int | None = None  # computed at the start; None: by the budget
    few_steps_below: int = 0  # runs with fewer steps reuse one in four at most
    rows: RowRule = "sample"

    def init(self) -> BudgetState:
        """Return the state before the first step."""
        return BudgetState()

    def decide(self, state: BudgetState, step: Step) -> tuple[Decision, BudgetState]:
        """Compute if the schedule has this step. An engine that joins in mid-run gets its share of the budget."""
        local, total = step.local_index, DEFAULT_TOTAL_STEPS
        if step.total is not None:
            total = step.total - (step.index - local)
        elif local >= DEFAULT_TOTAL_STEPS:
            is_due = local // self.speedup != (local - 1) // self.speedup
            return BUDGET_COMPUTE if is_due else BUDGET_REUSE, state
        budget = self.count_computed_steps(total)
        first = self.count_first_steps(budget)
        if total < self.few_steps_below:
            first = max(first, FEW_STEPS_FIRST)
        if local < step.index:  # the start of the run is past
            first = min(first, REALIGN_STEPS)
        if step.noise_levels is not None and len(step.noise_levels) > total:
            is_due = local in build_schedule(step.noise_levels[-total - 1 :], budget, first)
        else:
            state = self._learn_time(state, step, total)
            is_due = local < first or self._is_due_in_rest(state, local, total, budget)
        return BUDGET_COMPUTE if is_due else BUDGET_REUSE, state

    def count_computed_steps(self, total: int) -> int:
        """The budget of a run.

        Example:
            >>> gate = BudgetGate(speedup=2.0, few_steps_below=13)
            >>> gate.count_computed_steps(50), gate.count_computed_steps(12), gate.count_computed_steps(8)
            (25, 9, 6)
        """
        budget = max(round(total / self.speedup), 1)
        return max(budget, total - total // FEW_STEPS_REUSED) if total < self.few_steps_below else budget

    def count_first_steps(self, budget: int) -> int:
        """How many steps are computed at the start.

        Example:
            >>> BudgetGate(speedup=2.0).count_first_steps(25), BudgetGate(speedup=4.0).count_first_steps(12)
            (6, 2)
        """
        if self.align_steps is not None:
            return self.align_steps
        return max((budget - LATER_STEPS) // FIRST_SHARE, 1)

    def _is_due_in_rest(self, state: BudgetState, local: int, total: int, budget: int) -> bool:
        left, here = max(budget - state.computed, 1), min(state.last_computed, total - 1)
        steps = _build_rest(build_shifted_levels(total, state.shift), left, here, count_last_steps(budget))
        return any(here < step <= local for step in steps)  # another shift can move a step into the past

    def _learn_time(self, state: BudgetState, step: Step, total: int) -> BudgetState:
        if state.first_time is None:
            known = step.local_index > 0 and step.time is not None
            return state._replace(first_time=step.time, first_step=step.local_index) if known else state
        level = estimate_level(state.first_time, step.time)
        if level is None or step.time is None:
            return state
        if counts_betas(state.first_step, state.first_time, step.local_index, step.time, total):
            return state._replace(shift=scale_betas_shift(total / self.count_computed_steps(total)))
        return state._replace(shift=fit_shift(state.first_step / total, step.local_index / total, level))

    def learn(self, state: BudgetState, outcome: Outcome) -> BudgetState:
        """Count the computed step, and the way of the input where no time is known."""
        state = state._replace(computed=state.computed + 1, last_computed=outcome.local_index)
        if outcome.input_change is None or not outcome.output_magnitude or state.first_time is not None:
            return state
        distance = state.distance + outcome.input_change / outcome.output_magnitude
        total = DEFAULT_TOTAL_STEPS if outcome.total is None else outcome.total - (outcome.index - outcome.local_index)
        progress = min(outcome.local_index / total, 1.0)
        return state._replace(distance=distance, shift=fit_shift(0.0, progress, 1 - distance))


@dataclass(frozen=True, kw_only=True)
class StepListGate(IndexGate):
    """Computes a given list of steps, and no others."""

    reads: frozenset[Measurement] = field(default=OUTCOME_ONLY, init=False)

    computed_steps: Collection[int]
    rows: RowRule = "sample"

    def is_scheduled(self, step: Step) -> bool:
        """Whether the list has this step."""
        return step.index in self.computed_steps
