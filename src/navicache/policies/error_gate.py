"""The gate of dead reckoning: it predicts the error of the prediction, and has measured how fast that grows.

    s = mean|x_i - x_(i-1)| / mean|y_j|              the sampler's step, in units of the output
    d = sum of s since the last compute              how far the input has travelled
    k = (mean|y_i - guess| / mean|y_i|) / d          observed at every compute, tracked by a scalar Kalman filter
    E <- E + k d s;     reuse while E < tau;         a compute clears E and d

k d is the relative error of the output. An error of the output moves the latent by that error times the sampler's own
step: so E is how far a stretch of reuses takes the latent off its course. tau bounds it, the same throughout the run.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from navicache.estimator import Gaussian, Walk
from navicache.policies.protocols import Outcome, Reading, RowRule, Step, StreamRule, Verdict

REUSE, COMPUTE = Verdict(False, "gate"), Verdict(True, "gate")
UNKNOWN = Verdict(True, "no error yet")

CAUTION = 1.3  # deviations of the error's growth that a promise keeps away
# How far k misses, as a mean square relative to itself: before anything was missed, and the share of each new miss in
# it, which counts for so much at most.
SPREAD, SPREAD_SHARE, SPREAD_MOST = 0.1, 0.2, 4.0


class ErrorState(NamedTuple):
    """What the gate remembers within one run."""

    growth: Gaussian | None = None  # k; None before the first measured error
    gain: float = 0.0
    travelled: float = 0.0  # d, not yet divided by the output's size
    distance: float = 0.0  # d
    predicted: float | None = None  # k d of this step
    accumulated: float = 0.0  # E
    spread: float = SPREAD


@dataclass(frozen=True, kw_only=True)
class ErrorGate:
    """Knobs of the rule."""

    threshold: float
    promise: bool = False  # True: each step's own error, with caution, stays below the threshold; nothing is added up
    process_noise: float = 0.05
    measurement_noise: float = 0.05
    rows: RowRule = "sample"
    streams: StreamRule = "lead"
    reads: frozenset[Reading] = frozenset({"since_seen"})

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
        state = state._replace(travelled=travelled, distance=distance)
        if state.growth is None:
            return UNKNOWN, state._replace(predicted=None)
        predicted = state.growth.mean * distance
        if self.promise:
            predicted *= 1 + CAUTION * math.sqrt(state.spread)
            accumulated = predicted
        else:
            accumulated = state.accumulated + predicted * step.since_seen / step.output_size
        verdict = REUSE if accumulated < self.threshold else COMPUTE  # a NaN is not below anything
        return verdict, state._replace(predicted=predicted, accumulated=accumulated)

    def learn(self, state: ErrorState, outcome: Outcome) -> ErrorState:
        """Clear the error, and follow its measured growth."""
        distance = state.distance
        state = state._replace(travelled=0.0, distance=0.0, accumulated=0.0)
        if outcome.prediction_error is None or not distance:
            return state
        seen, before = outcome.prediction_error / distance, state.growth
        if before is None:
            return state._replace(growth=self._walk().start(seen), gain=1.0)
        missed = min((seen / before.mean - 1) ** 2, SPREAD_MOST) if before.mean > 0 else SPREAD_MOST
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
