"""The error gate predicts the prediction error from its measured growth.

    d = sum of mean|x_s - x_(s-1)| since the last compute, over mean|y_j|       distance that the input has moved
    k = (mean|y_i - guess| / mean|y_i|) / d^2        observed at every compute, tracked by a scalar Kalman filter
    E <- E + k d^2;     reuse while E < tau;         a compute clears E and d

A line leaves a smooth curve as the square of the distance: k is half the curvature of the output, and is the same for
short and long gaps. k d^2 is the relative error of this step, E the sum over consecutive reuses.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from navicache.estimator import Gaussian, RandomWalkFilter
from navicache.policies.decisions import GATE_COMPUTE, GATE_REUSE
from navicache.policies.protocols import Decision, Measurement, Outcome, RowRule, Step, StreamRule

NO_ERROR_COMPUTE = Decision(True, "no error yet")

CAUTION_DEVIATIONS = 2.0  # safety margin of `bounds_each_step`, in standard deviations of the growth
# Mean squared relative error of k: its initial value, the weight of each new error, and the largest error counted.
INITIAL_SPREAD, SPREAD_UPDATE_SHARE, MAX_GROWTH_ERROR = 0.1, 0.2, 2.0


class ErrorGateState(NamedTuple):
    """State of the gate during one run."""

    error_growth: Gaussian | None = None  # k; None before the first measured error
    gain: float = 0.0
    input_distance: float = 0.0  # d times the output's magnitude
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
    bounds_each_step: bool = False  # True: the threshold bounds the error of each step; errors are not accumulated
    process_noise: float = 0.05
    measurement_noise: float = 0.05
    rows: RowRule = "sample"

    def __post_init__(self) -> None:
        """Raise ValueError for noises that are not variances, before the first step."""
        self._build_filter()

    def init(self) -> ErrorGateState:
        """Return the state without measurements."""
        return ErrorGateState()

    def decide(self, state: ErrorGateState, step: Step) -> tuple[Decision, ErrorGateState]:
        """Reuse while the predicted error stays within the threshold."""
        if step.since_seen is None or not step.output_magnitude:
            # an unknown distance must not teach a growth
            return NO_ERROR_COMPUTE, state._replace(predicted_error=None, relative_distance=0.0)
        travelled = state.input_distance + step.since_seen
        distance = travelled / step.output_magnitude
        if state.error_growth is None:
            state = state._replace(input_distance=travelled, relative_distance=distance, predicted_error=None)
            return NO_ERROR_COMPUTE, state
        # below the distance at which k was observed, a bound on each step assumes linear growth, which is larger
        reach = (
            max(distance, state.last_error_distance) * (1 + CAUTION_DEVIATIONS * math.sqrt(state.growth_spread))
            if self.bounds_each_step
            else distance
        )
        predicted = state.error_growth.mean * distance * reach
        accumulated = predicted if self.bounds_each_step else state.accumulated_error + predicted
        decision = GATE_REUSE if accumulated < self.threshold else GATE_COMPUTE  # a NaN is not below anything
        return decision, state._replace(
            input_distance=travelled,
            relative_distance=distance,
            predicted_error=predicted,
            accumulated_error=accumulated,
        )

    def learn(self, state: ErrorGateState, outcome: Outcome) -> ErrorGateState:
        """Clear the accumulated error and track the measured growth."""
        distance = state.relative_distance
        state = state._replace(input_distance=0.0, relative_distance=0.0, accumulated_error=0.0)
        if outcome.prediction_error is None or not (distance**2):
            return state
        seen, before = outcome.prediction_error / distance**2, state.error_growth
        state = state._replace(last_error_distance=distance)
        if before is None:
            return state._replace(error_growth=self._build_filter().start_belief(seen), gain=1.0)
        missed = min(abs(seen / before.mean - 1), MAX_GROWTH_ERROR) ** 2 if before.mean > 0 else MAX_GROWTH_ERROR**2
        growth, gain = self._build_filter().correct(self._build_filter().predict(before, None), seen, None)
        spread = state.growth_spread + SPREAD_UPDATE_SHARE * (missed - state.growth_spread)
        return state._replace(error_growth=growth, gain=gain, growth_spread=spread)

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
