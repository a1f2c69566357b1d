"""A speed-up as a target: spend a budget of computed steps over the run, where the error asks for them.

    B = N / speedup computed steps in all; what is left of them is spread over the steps ahead by a density q, so that
    the next gap should be G = (sum of q ahead) / (left q);   tolerance = c q^2 G (G + 1) / 2

An error that grows evenly reaches this tolerance after G steps, c being what it usually grows by in units of q^2: a
prompt or a stretch that is harder than usual computes earlier, an easier one later, and the budget is always met.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from navicache.policies.error_gate import COMPUTE, REUSE, ErrorGate, ErrorState
from navicache.policies.protocols import Outcome, Reading, RowRule, Step, StreamRule, Verdict

SHARE = 0.15  # of each step's own growth in the usual one
OUT_OF_BUDGET, BUDGET_TO_SPARE = Verdict(False, "budget"), Verdict(True, "budget")


def density(progress: float) -> float:
    """How closely computes should stand, 1 in the middle: trajectories are turbulent at the start and at the end.

    Example:
        >>> density(0.5) < density(0.1) < density(1.0)
        True
    """
    return 1.0 + 1.0 * math.exp(-progress / 0.15) + 2.0 * math.exp(-(1.0 - progress) / 0.06)


class PaceState(NamedTuple):
    """The gate's own state, what was spent, and how fast errors usually grow."""

    inner: ErrorState
    spent: int = 0
    usual: float | None = None


@dataclass(frozen=True)
class Pace:
    """The error gate with a tolerance that makes the budget last; without a known step count, the gate as it is."""

    gate: ErrorGate
    speedup: float

    @property
    def streams(self) -> StreamRule:
        """As the gate inside."""
        return self.gate.streams

    @property
    def rows(self) -> RowRule:
        """As the gate inside."""
        return self.gate.rows

    @property
    def reads(self) -> frozenset[Reading]:
        """As the gate inside."""
        return self.gate.reads

    def init(self) -> PaceState:
        """Nothing spent."""
        return PaceState(self.gate.init())

    def decide(self, state: PaceState, step: Step) -> tuple[Verdict, PaceState]:
        """Compute where the error reaches what the budget allows."""
        verdict, inner = self.gate.decide(state.inner, step)
        if step.total is None or inner.predicted is None or step.progress is None:
            return verdict, state._replace(inner=inner)
        begun = step.index - step.own_index  # an engine that joins in mid-run has its share of the budget
        left = round((step.total - begun) / self.speedup) - state.spent
        ahead = step.total - step.index
        here = density(step.progress)
        unit = inner.predicted / max(1, step.gap) / here**2
        usual = unit if state.usual is None else state.usual + SHARE * (unit - state.usual)
        gap = self._demand(step.index, step.total) / (max(left - 1, 0.5) * here)
        inner = inner._replace(tolerance=usual * here**2 * gap * (gap + 1) / 2)
        verdict = REUSE if inner.accumulated < inner.tolerance else COMPUTE
        if left >= ahead:
            verdict = BUDGET_TO_SPARE
        elif left <= 1:  # the last one belongs to the last step
            verdict = OUT_OF_BUDGET
        return verdict, PaceState(inner, state.spent, usual)

    def _demand(self, index: int, total: int) -> float:
        """What the steps from here to the last but one ask for, in units of the middle."""
        return sum(density(step / max(1, total - 1)) for step in range(index, total - 1))

    def learn(self, state: PaceState, outcome: Outcome) -> PaceState:
        """One compute less."""
        return state._replace(inner=self.gate.learn(state.inner, outcome), spent=state.spent + 1)

    def explain(self, state: PaceState) -> Mapping[str, float]:
        """As the gate inside; the threshold is the tolerance of this step."""
        return self.gate.explain(state.inner)
