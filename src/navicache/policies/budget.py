"""The schedule for a target speed-up: B = N / speedup computed steps, where the sampler's noise levels ask for them.

Some steps are computed at the start without a gap, one or two at the end, and the others so that the reused steps cost
least (step_costs.py). Flows that read text have another form of schedule than other models (schedule_forms.py). A
latent with fresh noise is a start, at whichever level it begins; one that another sampler or expert has begun to
denoise is none. The noise levels are taken from the first source that has them:

1. The scheduler tells all of them before the run. The schedule is then fixed.
2. The model is told its time at every call. Levels so far are read from it, those to come follow the flow's shift that
   fits them. Times that count betas are no levels: a shift stands for them (noise_levels.py).
3. The input moves by d = mean |x_i - x_j| / mean |y_i| between two computed steps; at level u a flow has moved 1 - u.

With 2 and 3 the rest of the budget is laid out again at every step. The budget stays exact. Measured errors move
nothing: they did better on one model and worse on another (docs/research).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from navicache.policies.decisions import PlainGate
from navicache.policies.fixed_schedules import IndexGate
from navicache.policies.guards import REALIGN_STEPS, is_past_start
from navicache.policies.noise_levels import (
    build_shifted_levels,
    counts_betas,
    estimate_level,
    fit_shift,
    scale_betas_shift,
)
from navicache.policies.protocols import Decision, Measurement, NoiseLevels, Outcome, RowRule, Step, StreamRule
from navicache.policies.schedule_forms import PLAIN, ScheduleForm, choose_form
from navicache.policies.step_costs import choose_steps, compute_step_costs

# The schedule needs no measurement. The predictor behind it does, and an output that is NaN or infinite must be known
# before it is reused. Both need one transfer after each computed step.
OUTCOME_ONLY: frozenset[Measurement] = frozenset({"outcome"})
BUDGET_COMPUTE, BUDGET_REUSE = Decision(True, "budget"), Decision(False, "budget")

DEFAULT_TOTAL_STEPS = 50  # assumed if the number of steps is unknown; later steps are evenly spaced
DEFAULT_SHIFT = 3.0  # assumed until something is known of the noise levels
LINE_STEPS, FEWEST_WITH_LINE = 2, 5  # a line takes two outputs: a budget of five or more begins with both
FULL_NOISE = 0.9  # the level of a start that is noise alone; pictures begin lower where they are changed
FEWEST_WITH_SLOW_START = 25  # steps of a run: in fewer each goes so far that nothing is predicted from one output
FEW_STEPS_REUSED = 4  # a run of few steps reuses one in four at most


def count_first_steps(form: ScheduleForm, budget: int, levels: Sequence[float] | None) -> int:
    """How many steps are computed at the start: two at least where it begins late, or is of a run of few steps.

    Example:
        >>> whole, late = build_shifted_levels(50, 3.0), build_shifted_levels(50, 3.0)[25:]
        >>> count_first_steps(PLAIN, 9, whole), count_first_steps(PLAIN, 9, late), count_first_steps(PLAIN, 9, None)
        (1, 2, 1)
    """
    first = form.count_first_steps(budget)
    if levels is None or budget < FEWEST_WITH_LINE:
        return first
    needs_line = levels[0] < FULL_NOISE or len(levels) <= FEWEST_WITH_SLOW_START
    return max(first, LINE_STEPS) if needs_line else first


@cache
def build_schedule(levels: NoiseLevels, budget: int, align_steps: int, form: ScheduleForm = PLAIN) -> frozenset[int]:
    """Choose the steps to compute: the first `align_steps`, the last ones, and others up to the budget.

    Example:
        >>> sorted(build_schedule(build_shifted_levels(12, 3.0), 6, 2))
        [0, 1, 3, 6, 9, 11]
    """
    return _choose_steps(compute_step_costs(levels, form.exponents), budget, align_steps, form, budget)


@cache
def _build_rest(
    levels: NoiseLevels, budget_left: int, last_computed: int, form: ScheduleForm, budget: int
) -> frozenset[int]:
    """The steps to compute after `last_computed`, the last ones of the run among them."""
    costs = compute_step_costs(levels, form.exponents)[last_computed:]
    return frozenset(last_computed + step for step in _choose_steps(costs, 1 + budget_left, 1, form, budget))


def _choose_steps(
    costs: tuple[float, ...], count: int, first_steps: int, form: ScheduleForm, budget: int
) -> frozenset[int]:
    return choose_steps(costs, count, first_steps, form.count_last_steps(budget), form.exponents.gap)


class BudgetState(NamedTuple):
    """What a run has shown of its noise levels, and what it has computed so far."""

    first_time: float | None = None  # of the second step: that of the first is not read in every run
    first_step: int = 0  # whose time that is
    shift: float = DEFAULT_SHIFT
    distance: float = 0.0  # that the input has moved, from computed step to computed step
    counts_betas: bool = False  # the times are indices of betas: the model predicts noise
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
        levels = step.noise_levels if step.noise_levels is not None and len(step.noise_levels) > total else None
        if levels is None:
            state = self._learn_time(state, step, total)
        form = PLAIN if state.counts_betas else choose_form(step)
        budget = self.count_computed_steps(total)
        first = self._count_first_steps(step, total, budget, form)
        if levels is None:
            is_due = local < first or self._is_due_in_rest(state, local, total, budget, form)
        else:
            is_due = local in build_schedule(levels[-total - 1 :], budget, first, form)
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

    def _count_first_steps(self, step: Step, total: int, budget: int, form: ScheduleForm) -> int:
        first = self.align_steps
        if first is None:
            first = count_first_steps(form, budget, step.noise_levels)
        if total < self.few_steps_below:
            first = max(first, LINE_STEPS)
        return min(first, REALIGN_STEPS) if is_past_start(step) else first

    def _is_due_in_rest(self, state: BudgetState, local: int, total: int, budget: int, form: ScheduleForm) -> bool:
        left, here = max(budget - state.computed, 1), min(state.last_computed, total - 1)
        steps = _build_rest(build_shifted_levels(total, state.shift), left, here, form, budget)
        return any(here < step <= local for step in steps)  # another shift can move a step into the past

    def _learn_time(self, state: BudgetState, step: Step, total: int) -> BudgetState:
        if state.first_time is None:
            known = step.local_index > 0 and step.time is not None
            return state._replace(first_time=step.time, first_step=step.local_index) if known else state
        level = estimate_level(state.first_time, step.time)
        if level is None or step.time is None:
            return state
        if counts_betas(state.first_step, state.first_time, step.local_index, step.time, total):
            shift = scale_betas_shift(total / self.count_computed_steps(total))
            return state._replace(shift=shift, counts_betas=True)
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
