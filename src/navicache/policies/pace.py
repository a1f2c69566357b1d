"""A speed-up as a target: spend a budget of computed steps over the run, where the error asks for them.

    B = N / speedup computed steps in all;    tolerance = 4 tau sigma (1 - w sigma), the error gate's own
    tau = tau_0 exp(P e + I sum of e),        e = computed so far - expected so far

The run starts at the threshold tau_0 that usually leads to B. Whoever computes more than expected is given more
tolerance, whoever computes less is given less: a hard stretch may still take more than its share, an easy one leaves
some to others, and at the end the budget is met exactly.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

from navicache.policies.error_gate import COMPUTE, REUSE, ErrorGate, ErrorState
from navicache.policies.guards import Guard
from navicache.policies.protocols import Outcome, Step, Verdict

PROPORTIONAL, INTEGRAL = 0.12, 0.02  # P and I
# Measured on the embedded model: at a threshold of 0.12 the gate computes 32 % of all steps beside alignment and last
# step; a share as large again takes a threshold 2^2.7 times smaller. Elsewhere it is where the controller begins.
TYPICAL_THRESHOLD, TYPICAL_SHARE, STEEPNESS = 0.12, 0.32, 2.7
LIMIT = 2.0
OUT_OF_BUDGET, BUDGET_TO_SPARE = Verdict(False, "budget"), Verdict(True, "budget")


def density(progress: float) -> float:
    """How closely computes stand in a run at a fixed threshold, about 1 in the middle: more at the end, most at first.

    Example:
        >>> density(0.5) < density(0.2) < density(0.1)
        True
    """
    return 0.95 + 12.0 * math.exp(-progress / 0.1) + 6.0 * math.exp(-(1.0 - progress) / 0.045)


@cache
def demands(total: int) -> tuple[float, ...]:
    """Sums of the density over the steps before each step of a run, its last step included: asked at every decision."""
    return tuple(accumulate((density(step / max(1, total - 1)) for step in range(total - 1)), initial=0.0))


class PaceState(NamedTuple):
    """The gate's own state, what was spent, and the sum of how far that was from what was expected."""

    inner: ErrorState
    spent: int = 0
    excess: float = 0.0


@dataclass(frozen=True)
class Pace(Guard[Any]):
    """The error gate with a tolerance that makes the budget last; without a known step count, the gate as it is."""

    gate: ErrorGate
    speedup: float
    align_steps: int

    def init(self) -> PaceState:
        """Nothing spent."""
        return PaceState(self.gate.init())

    def decide(self, state: PaceState, step: Step) -> tuple[Verdict, PaceState]:
        """Compute where the error reaches what the budget allows."""
        verdict, inner = self.gate.decide(state.inner, step)
        if (
            step.total is None
            or inner.predicted is None
            or step.index >= step.total
            or step.own_index < self.align_steps
        ):
            return verdict, state._replace(inner=inner)
        begun = step.index - step.own_index  # an engine that joins in mid-run has its share of the budget
        budget = round((step.total - begun) / self.speedup)
        left, ahead = budget - state.spent, step.total - step.index
        excess = state.spent - self._expected(budget, begun, step.index, step.total)
        usual = self._typical(budget, step.total - begun) / self.gate.threshold
        wanted = inner.tolerance * usual * math.exp(PROPORTIONAL * excess + INTEGRAL * (state.excess + excess))
        tolerance = self._confined(wanted, inner.predicted, step, left)
        inner = inner._replace(tolerance=tolerance)
        verdict = REUSE if inner.accumulated < tolerance else COMPUTE
        if left >= ahead:
            verdict = BUDGET_TO_SPARE
        elif left <= 1:  # the last one belongs to the last step
            verdict = OUT_OF_BUDGET
        # What the limits have cut off is no reason to ask for more.
        return verdict, PaceState(inner, state.spent, state.excess + (excess if tolerance == wanted else 0.0))

    def _confined(self, wanted: float, predicted: float, step: Step, left: int) -> float:
        """The tolerance, within what makes the next gap LIMIT times shorter or longer than the budget would have it.

        Errors that grow evenly, by c a step, add up to c g (g + 1) / 2 over a gap g. So a model whose errors are of
        quite another size than usual is paced rightly from the start.
        """
        growth = predicted / max(1, step.gap)
        before = demands(step.total or 1)
        gap = (before[-1] - before[step.index]) / (max(left - 1, 0.5) * density(step.progress or 0.0))
        least, most = (growth * g * (g + 1) / 2 for g in (gap / LIMIT, gap * LIMIT))
        return min(max(wanted, least), most)

    def _typical(self, budget: int, steps: int) -> float:
        """The threshold that usually computes so many of the steps beyond the alignment."""
        free = max(budget - self.align_steps - 1, 0.5) / steps
        return TYPICAL_THRESHOLD * (TYPICAL_SHARE / free) ** STEEPNESS

    def _expected(self, budget: int, begun: int, index: int, total: int) -> float:
        """Computes before this step in a run that meets the budget."""
        before, first = demands(total), begun + self.align_steps
        free = max(budget - self.align_steps - 1, 0)
        return self.align_steps + free * (before[index] - before[first]) / max(before[-1] - before[first], 1e-9)

    def learn(self, state: PaceState, outcome: Outcome) -> PaceState:
        """One compute less."""
        return state._replace(inner=self.gate.learn(state.inner, outcome), spent=state.spent + 1)

    def explain(self, state: PaceState) -> Mapping[str, float]:
        """As the gate inside; the threshold is the tolerance of this step."""
        return self.gate.explain(state.inner)
