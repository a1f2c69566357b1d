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

from navicache.estimator import Gaussian, Walk
from navicache.policies.protocols import Measurement, Outcome, RowRule, Step, StreamRule, Verdict
from navicache.policies.verdicts import COMPUTE, REUSE

UNKNOWN = Verdict(True, "no error yet")

CAUTION = 2.0  # deviations of the error's growth that a promise keeps away
# How far k misses, as a mean square relative to itself: before anything was missed; the share of each new miss in it,
# which counts as so far at most.
SPREAD, SPREAD_SHARE, FARTHEST = 0.1, 0.2, 2.0


class ErrorState(NamedTuple):
    """What the gate remembers within one run."""

    growth: Gaussian | None = None  # k; None before the first measured error
    gain: float = 0.0
    travelled: float = 0.0  # d, not yet divided by the output's size
    distance: float = 0.0  # d
    predicted: float | None = None  # k d^2 of this step
    accumulated: float = 0.0  # E
    reached: float = 0.0  # d at the newest observed error
    spread: float = SPREAD


@dataclass(frozen=True, kw_only=True)
class ErrorGate:
    """Knobs of the rule."""

    streams: StreamRule = field(default="lead", init=False)
    reads: frozenset[Measurement] = field(default=frozenset({"since_seen"}), init=False)

    threshold: float
    promise: bool = False  # True: each step's own error, with caution, stays below the threshold; nothing is added up
    process_noise: float = 0.05
    measurement_noise: float = 0.05
    rows: RowRule = "sample"

    def __post_init__(self) -> None:
        """Refuse noises that are no variances, now and not at the first measured error."""
        self._walk()

    def init(self) -> ErrorState:
        """No error measured."""
        return ErrorState()

    def decide(self, state: ErrorState, step: Step) -> tuple[Verdict, ErrorState]:
        """Reuse while the predicted error stays within the threshold."""
        if step.since_seen is None or not step.output_size:
            return UNKNOWN, state._replace(predicted=None, distance=0.0)  # unknown: it must not teach a growth
        travelled = state.travelled + step.since_seen
        distance = travelled / step.output_size
        if state.growth is None:
            return UNKNOWN, state._replace(travelled=travelled, distance=distance, predicted=None)
        # below the distance at which k was observed a promise does not trust the square, which is the smaller one
        reach = max(distance, state.reached) * (1 + CAUTION * math.sqrt(state.spread)) if self.promise else distance
        predicted = state.growth.mean * distance * reach
        accumulated = predicted if self.promise else state.accumulated + predicted
        verdict = REUSE if accumulated < self.threshold else COMPUTE  # a NaN is not below anything
        return verdict, state._replace(
            travelled=travelled, distance=distance, predicted=predicted, accumulated=accumulated
        )

    def learn(self, state: ErrorState, outcome: Outcome) -> ErrorState:
        """Clear the error, and follow its measured growth."""
        distance = state.distance
        state = state._replace(travelled=0.0, distance=0.0, accumulated=0.0)
        if outcome.prediction_error is None or not (distance**2):
            return state
        seen, before = outcome.prediction_error / distance**2, state.growth
        state = state._replace(reached=distance)
        if before is None:
            return state._replace(growth=self._walk().start(seen), gain=1.0)
        missed = min(abs(seen / before.mean - 1), FARTHEST) ** 2 if before.mean > 0 else FARTHEST**2
        growth, gain = self._walk().correct(self._walk().predict(before, None), seen, None)
        return state._replace(growth=growth, gain=gain, spread=state.spread + SPREAD_SHARE * (missed - state.spread))

    def explain(self, state: ErrorState) -> Mapping[str, float]:
        """Growth, its variance and gain as ratio, and the error against its threshold."""
        shown = {"accumulated": state.accumulated, "threshold": self.threshold}
        if state.predicted is not None:
            shown["predicted_change"] = state.predicted
        if state.growth is not None:
            shown |= {"ratio": state.growth.mean, "variance": state.growth.variance, "gain": state.gain}
        return {name: value for name, value in shown.items() if math.isfinite(value)}

    def _walk(self) -> Walk:
        return Walk(self.process_noise, self.measurement_noise)
