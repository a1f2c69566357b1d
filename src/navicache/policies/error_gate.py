"""The gate of dead reckoning: it predicts the error of the prediction, and has measured how fast that grows.

    d = sum of mean|x_s - x_(s-1)| since the last compute, over mean|y_j|       how far the input has travelled
    k = (mean|y_i - guess| / mean|y_i|) / d^2        observed at every compute, tracked by a scalar Kalman filter
    E <- E + k d^2;     reuse while E < tau;         a compute clears E and d

A line leaves a smooth course as the square of the distance: k is half of how sharply the output turns, and stays the
same from a short gap to a long one. k d^2 is the relative error of this step, E their sum over a stretch of reuses.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from navicache.estimator import Gaussian, RandomWalkFilter
from navicache.policies.protocols import Measurement, Outcome, RowRule, Step, StreamRule, Decision
from navicache.policies.decisions import GATE_COMPUTE, GATE_REUSE

NO_ERROR_COMPUTE = Decision(True, "no error yet")

CAUTION_DEVIATIONS = 2.0  # deviations of the error's growth that a promise keeps away
# How far k misses, as a mean square relative to itself: before anything was missed; the share of each new miss in it,
# which counts as so far at most.
INITIAL_SPREAD, SPREAD_UPDATE_SHARE, MAX_GROWTH_ERROR = 0.1, 0.2, 2.0


class ErrorGateState(NamedTuple):
    """What the gate remembers within one run."""

    error_growth: Gaussian | None = None  # k; None before the first measured error
    gain: float = 0.0
    input_distance: float = 0.0  # d, not yet divided by the output's size
    relative_distance: float = 0.0  # d
    predicted_error: float | None = None  # k d^2 of this step
    accumulated_error: float = 0.0  # E
    last_error_distance: float = 0.0  # d at the newest observed error
    growth_spread: float = INITIAL_SPREAD


@dataclass(frozen=True, kw_only=True)
class ErrorGate:
    """Knobs of the rule."""

    streams: StreamRule = field(default="lead", init=False)
    reads: frozenset[Measurement] = field(default=frozenset({"since_seen"}), init=False)

    threshold: float
    bounds_each_step: bool = (
        False  # True: each step's own error, with caution, stays below the threshold; nothing is added up
    )
    process_noise: float = 0.05
    measurement_noise: float = 0.05
    rows: RowRule = "sample"

    def __post_init__(self) -> None:
        """Refuse noises that are no variances, now and not at the first measured error."""
        self._build_filter()

    def init(self) -> ErrorGateState:
        """No error measured."""
        return ErrorGateState()

    def decide(self, state: ErrorGateState, step: Step) -> tuple[Decision, ErrorGateState]:
        """Reuse while the predicted error stays within the threshold."""
        if step.since_seen is None or not step.output_magnitude:
            return NO_ERROR_COMPUTE, state._replace(predicted=None, distance=0.0)  # unknown: it must not teach a growth
        travelled = state.input_distance + step.since_seen
        distance = travelled / step.output_magnitude
        if state.error_growth is None:
            return NO_ERROR_COMPUTE, state._replace(travelled=travelled, distance=distance, predicted=None)
        # below the distance at which k was observed a promise does not trust the square, which is the smaller one
        reach = (
            max(distance, state.last_error_distance) * (1 + CAUTION_DEVIATIONS * math.sqrt(state.growth_spread))
            if self.bounds_each_step
            else distance
        )
        predicted = state.error_growth.mean * distance * reach
        accumulated = predicted if self.bounds_each_step else state.accumulated_error + predicted
        verdict = GATE_REUSE if accumulated < self.threshold else GATE_COMPUTE  # a NaN is not below anything
        return verdict, state._replace(
            travelled=travelled, distance=distance, predicted=predicted, accumulated=accumulated
        )

    def learn(self, state: ErrorGateState, outcome: Outcome) -> ErrorGateState:
        """Clear the error, and follow its measured growth."""
        distance = state.relative_distance
        state = state._replace(travelled=0.0, distance=0.0, accumulated=0.0)
        if outcome.prediction_error is None or not (distance**2):
            return state
        seen, before = outcome.prediction_error / distance**2, state.error_growth
        state = state._replace(reached=distance)
        if before is None:
            return state._replace(growth=self._build_filter().start_belief(seen), gain=1.0)
        missed = min(abs(seen / before.mean - 1), MAX_GROWTH_ERROR) ** 2 if before.mean > 0 else MAX_GROWTH_ERROR**2
        growth, gain = self._build_filter().correct(self._build_filter().predict(before, None), seen, None)
        return state._replace(
            growth=growth, gain=gain, spread=state.growth_spread + SPREAD_UPDATE_SHARE * (missed - state.growth_spread)
        )

    def explain(self, state: ErrorGateState) -> Mapping[str, float]:
        """Growth, its variance and gain as ratio, and the error against its threshold."""
        shown = {"accumulated": state.accumulated_error, "threshold": self.threshold}
        if state.predicted_error is not None:
            shown["predicted_change"] = state.predicted_error
        if state.error_growth is not None:
            shown |= {"ratio": state.error_growth.mean, "variance": state.error_growth.variance, "gain": state.gain}
        return {name: value for name, value in shown.items() if math.isfinite(value)}

    def _build_filter(self) -> RandomWalkFilter:
        return RandomWalkFilter(self.process_noise, self.measurement_noise)
