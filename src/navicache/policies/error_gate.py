"""The gate of dead reckoning: it predicts the error of the prediction, and has measured how fast that grows.

    d = sum of mean|x_s - x_(s-1)| since the last compute, over mean|y_j|       how far the input has travelled
    k = (mean|y_i - guess| / mean|y_i|) / d          observed at every compute, tracked by a scalar Kalman filter
    E <- E + k d;     reuse while E < 4 tau sigma (1 - w sigma);     a compute clears E and d

An error made early is carried through the rest of the run, and one made at the very end is never mended: so the
tolerance is small at full noise and small again at none.

Where little is computed at all, what was measured in the first steps says too little about the next ones, and errors
decide there whether a run goes astray. So a `sparse` gate takes them by turns while there is hardly anything but noise.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from navicache.estimator import Gaussian, Walk
from navicache.policies.protocols import Outcome, Reading, RowRule, Step, StreamRule, Verdict

REUSE, COMPUTE = Verdict(False, "gate"), Verdict(True, "gate")
UNKNOWN, LAST_FOLLOWS = Verdict(True, "no error yet"), Verdict(False, "last step follows")
ABOVE = 0.955  # the noise level down to which a sparse gate computes every other step
EARLY = 0.05  # the progress of a run of which nothing is known: as careful as near its start

SPREAD, SPREAD_SHARE, SPREAD_MOST = 0.1, 0.2, 4.0  # before anything was missed; of each miss in the mean; of one


class ErrorState(NamedTuple):
    """What the gate remembers within one run."""

    growth: Gaussian | None = None  # k; None before the first measured error
    gain: float = 0.0
    travelled: float = 0.0  # d, not yet divided by the output's size
    distance: float = 0.0  # d
    predicted: float | None = None  # k d of this step
    accumulated: float = 0.0
    tolerance: float = 0.0
    spread: float = SPREAD  # mean square of how far k missed, relative to itself


@dataclass(frozen=True, kw_only=True)
class ErrorGate:
    """Knobs of the rule."""

    threshold: float
    tighten: float = 1.0  # w
    landing: bool = True  # False: tau (1 - w sigma), as generous at the end as anywhere
    process_noise: float = 0.05
    measurement_noise: float = 0.05
    caution: float = 0.0  # how many of its own relative deviations are added to k
    accumulate: bool = True  # False: each step's own error is held against the tolerance
    sparse: bool = False  # few computes: the first steps by turns, and none just before the last, which is computed
    prior: float | None = None  # k before the first measurement; None: compute until there is one
    rows: RowRule = "sample"
    streams: StreamRule = "lead"
    reads: frozenset[Reading] = frozenset({"since_seen"})

    def init(self) -> ErrorState:
        """No error measured."""
        return ErrorState()

    def decide(self, state: ErrorState, step: Step) -> tuple[Verdict, ErrorState]:
        """Reuse while the predicted error stays within the tolerance."""
        if step.since_seen is None or not step.output_size:
            return UNKNOWN, state._replace(predicted=None, distance=0.0)  # unknown: it must not teach a growth
        travelled = state.travelled + step.since_seen
        distance = travelled / step.output_size
        state = state._replace(travelled=travelled, distance=distance, tolerance=self.tolerance(step))
        growth = self.prior if state.growth is None else state.growth.mean
        if growth is None:
            return UNKNOWN, state._replace(predicted=None)
        predicted = growth * (1 + self.caution * math.sqrt(state.spread)) * distance
        accumulated = state.accumulated + predicted if self.accumulate else predicted
        verdict = REUSE if accumulated < state.tolerance else COMPUTE  # a NaN is not below anything
        if self.sparse and state.growth is not None:
            verdict = sparsely(verdict, step)
        return verdict, state._replace(predicted=predicted, accumulated=accumulated)

    def tolerance(self, step: Step) -> float:
        """4 tau sigma (1 - w sigma); where the noise level is unknown the run's progress stands for it."""
        passed = EARLY if step.progress is None else step.progress
        level = step.sigma if step.sigma is not None else 1.0 - passed
        return self.threshold * (1.0 - self.tighten * level) * (4.0 * level if self.landing else 1.0)

    def learn(self, state: ErrorState, outcome: Outcome) -> ErrorState:
        """Clear the error, and follow its measured growth."""
        distance = state.distance
        state = state._replace(travelled=0.0, distance=0.0, accumulated=0.0)
        if outcome.prediction_error is None or not distance:
            return state
        seen = outcome.prediction_error / distance
        walk, before = Walk(self.process_noise, self.measurement_noise), state.growth
        if before is None:
            return state._replace(growth=walk.start(seen), gain=1.0)
        missed = min((seen / before.mean - 1) ** 2, SPREAD_MOST) if before.mean > 0 else SPREAD_MOST
        growth, gain = walk.correct(walk.predict(before, None), seen, None)
        return state._replace(growth=growth, gain=gain, spread=state.spread + SPREAD_SHARE * (missed - state.spread))

    def explain(self, state: ErrorState) -> Mapping[str, float]:
        """Growth, its variance and gain as ratio, and the error against its tolerance."""
        shown = {"accumulated": state.accumulated, "threshold": state.tolerance}
        if state.predicted is not None:
            shown["predicted_change"] = state.predicted
        if state.growth is not None:
            shown |= {"ratio": state.growth.mean, "variance": state.growth.variance, "gain": state.gain}
        return {name: value for name, value in shown.items() if math.isfinite(value)}


def sparsely(verdict: Verdict, step: Step) -> Verdict:
    """The first steps by turns, none just before the last; elsewhere as the error has it.

    Example:
        >>> sparsely(COMPUTE, Step(index=3, own_index=3, sigma=0.98, gap=1))
        Verdict(compute=False, reason='by turns')
    """
    if step.sigma is not None and step.sigma > ABOVE:
        return Verdict(step.gap > 1, "by turns")
    return LAST_FOLLOWS if step.total is not None and step.index == step.total - 2 else verdict
