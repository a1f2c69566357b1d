"""The rule TeaCache introduced and SeaCache kept: add up how much a cheap signal changes, reuse below a threshold.

    d = mean|s_i - s_(i-1)| / mean|s_(i-1)|;   A <- A + p(d);   reuse while A < tau;   a compute clears A

The signal is watched at every step, reused ones too. The polynomial p makes the
signal's change the output's.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from navicache.policies.protocols import Measurement, Outcome, RowRule, Step, StreamRule, Verdict
from navicache.policies.verdicts import COMPUTE, REUSE, UNSEEN, divide

IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0)


class SignalState(NamedTuple):
    """What the gate remembers within one run."""

    accumulated: float = 0.0
    predicted: float | None = None  # p(d) of this step


@dataclass(frozen=True, kw_only=True)
class SignalGate:
    """Knobs of the rule."""

    rows: RowRule = field(default="call", init=False)
    streams: StreamRule = field(default="each", init=False)
    reads: frozenset[Measurement] = field(default=frozenset({"since_seen"}), init=False)

    threshold: float
    coefficients: tuple[float, ...] = IDENTITY  # of p, highest power first
    by_row: bool = False  # the mean of each row's own quotient, in place of the quotient of the means

    def init(self) -> SignalState:
        """Nothing added up."""
        return SignalState()

    def decide(self, state: SignalState, step: Step) -> tuple[Verdict, SignalState]:
        """Reuse while the sum stays below the threshold; a sum below zero is no reason to compute."""
        change = self._change(step)
        if change is None:
            return UNSEEN, state._replace(predicted=None)
        predicted = polynomial(self.coefficients, change)
        accumulated = state.accumulated + predicted
        # At 0 everything computes, as everywhere, though a polynomial may well fall below.
        reuse = self.threshold > 0 and -math.inf < accumulated < self.threshold  # which no NaN passes
        return REUSE if reuse else COMPUTE, SignalState(accumulated, predicted)

    def learn(self, state: SignalState, outcome: Outcome) -> SignalState:
        """Clear the sum."""
        del outcome
        return state._replace(accumulated=0.0)

    def explain(self, state: SignalState) -> Mapping[str, float]:
        """What this step added, and the sum against its threshold."""
        shown = {"accumulated": state.accumulated, "threshold": self.threshold}
        if state.predicted is not None:
            shown["predicted_change"] = state.predicted
        return {name: value for name, value in shown.items() if math.isfinite(value)}

    def _change(self, step: Step) -> float | None:
        if self.by_row:
            return step.relative_seen
        if step.since_seen is None or step.seen_size is None:
            return None
        return divide(step.since_seen, step.seen_size)


def polynomial(coefficients: tuple[float, ...], x: float) -> float:
    """Horner's rule, highest power first.

    Example:
        >>> polynomial((2.0, 0.0, 1.0), 3.0)
        19.0
    """
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value
