"""The rule TeaCache introduced and SeaCache kept: add up how much a cheap signal changes, reuse below a threshold.

    d = mean|s_i - s_(i-1)| / mean|s_(i-1)|;   A <- A + p(d);   reuse while A < tau;   a compute clears A

The signal is watched at every step, reused ones too. The polynomial p makes the
signal's change the output's.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from navicache.policies.protocols import Measurement, Outcome, RowRule, Step, StreamRule, Decision
from navicache.policies.decisions import GATE_COMPUTE, GATE_REUSE, NO_SIGNAL_COMPUTE, divide_ieee

IDENTITY_COEFFICIENTS = (0.0, 0.0, 0.0, 1.0, 0.0)


class SignalGateState(NamedTuple):
    """What the gate remembers within one run."""

    accumulated_change: float = 0.0
    predicted_change: float | None = None  # p(d) of this step


@dataclass(frozen=True, kw_only=True)
class SignalGate:
    """Knobs of the rule."""

    rows: RowRule = field(default="call", init=False)
    streams: StreamRule = field(default="each", init=False)
    reads: frozenset[Measurement] = field(default=frozenset({"since_seen"}), init=False)

    threshold: float
    coefficients: tuple[float, ...] = IDENTITY_COEFFICIENTS  # of p, highest power first
    averages_row_changes: bool = False  # the mean of each row's own quotient, in place of the quotient of the means

    def init(self) -> SignalGateState:
        """Nothing added up."""
        return SignalGateState()

    def decide(self, state: SignalGateState, step: Step) -> tuple[Decision, SignalGateState]:
        """Reuse while the sum stays below the threshold; a sum below zero is no reason to compute."""
        change = self._get_relative_change(step)
        if change is None:
            return NO_SIGNAL_COMPUTE, state._replace(predicted=None)
        predicted = evaluate_polynomial(self.coefficients, change)
        accumulated = state.accumulated_change + predicted
        # At 0 everything computes, as everywhere, though a polynomial may well fall below.
        reuse = self.threshold > 0 and -math.inf < accumulated < self.threshold  # which no NaN passes
        return GATE_REUSE if reuse else GATE_COMPUTE, SignalGateState(accumulated, predicted)

    def learn(self, state: SignalGateState, outcome: Outcome) -> SignalGateState:
        """Clear the sum."""
        del outcome
        return state._replace(accumulated=0.0)

    def explain(self, state: SignalGateState) -> Mapping[str, float]:
        """What this step added, and the sum against its threshold."""
        shown = {"accumulated": state.accumulated_change, "threshold": self.threshold}
        if state.predicted_change is not None:
            shown["predicted_change"] = state.predicted_change
        return {name: value for name, value in shown.items() if math.isfinite(value)}

    def _get_relative_change(self, step: Step) -> float | None:
        if self.averages_row_changes:
            return step.relative_change
        if step.since_seen is None or step.seen_magnitude is None:
            return None
        return divide_ieee(step.since_seen, step.seen_magnitude)


def evaluate_polynomial(coefficients: tuple[float, ...], x: float) -> float:
    """Horner's rule, highest power first.

    Example:
        >>> evaluate_polynomial((2.0, 0.0, 1.0), 3.0)
        19.0
    """
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value
