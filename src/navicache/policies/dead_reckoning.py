"""The predictor of `inertial`: a line through the newest outputs, damped as measured and corrected for past errors.

    y_i ~ y_j + a (y_j - y_k) g + min(1, 2a) min(1, 1 + r) s m
    g = g_0 / g_1, where a < 0 no more than 1
    s = (5 g_1 - 1) / (12 g_1) while g_0 < g_1 and a > 0, else 0

y_j and y_k are the two newest computed outputs, g_1 steps apart, and g_0 steps have passed since the newer one. The
damping a is measured at every computed step, where prediction and truth are both known (estimator/damping.py), and
tracked by a scalar Kalman filter. If extrapolation does not help, a goes to zero and the output is held. If the output
swings from step to step, as under strong guidance, a falls below zero: the prediction is then a point between the two
newest outputs, at most midway, and no farther off after a longer gap.

m = y_j - (prediction of y_j) is the prediction error at the newest computed step, g_1 steps after the one before. A
line leaves a parabola as its square, so the g_1 - 1 predictions within that gap had an average error of s m, and the
latent has moved along them. Adding s m to as many outputs takes that back. The correction stops after that many steps,
because over a longer gap it would add an error. If errors alternate in sign they cancel, and the correction is
smaller: r is the error correlation, measured at every computed step and tracked like the damping.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from navicache.estimator import Gaussian, RandomWalkFilter, compute_extrapolation_factor, fit_damping
from navicache.policies.predictors import OUTPUT_HOLD_WEIGHTS
from navicache.policies.protocols import Outcome, PredictionWeights, Step

INITIAL_DAMPING = 1.0
MIN_DAMPING, MAX_DAMPING = -0.5, 1.3  # midway between the two newest outputs, and slightly beyond the line


def compute_mean_gap_error(gap: int) -> float:
    """Average error of the predictions within a gap, relative to the error at its end.

    Assumes a line through two points one gap apart, and a true output that is a parabola through them.

    Example:
        >>> compute_mean_gap_error(2), compute_mean_gap_error(3) == (4 / 18 + 10 / 18) / 2
        (0.375, True)
    """
    return (5 * gap - 1) / (12 * gap)


class DeadReckoningState(NamedTuple):
    """Estimates of damping and error correlation; None before the first measurement."""

    damping: Gaussian | None = None
    error_correlation: Gaussian | None = None  # share of an error that the next one repeats; below 0 they cancel


@dataclass(frozen=True)
class DeadReckoning:
    """Extrapolate along the newest slope, damped as measured.

    Example:
        >>> DeadReckoning().weights(DeadReckoningState(), Step(index=6, local_index=6, gaps=(2, 1)))
        PredictionWeights(input=0.0, references=((0.0, 3.0), (0.0, -2.0)), error_weight=0.0)
    """

    history_length: int = field(default=2, init=False)
    needs_inner_products: bool = field(default=True, init=False)
    needs_past_inputs: bool = field(default=False, init=False)

    process_noise: float = 0.05
    measurement_noise: float = 0.05
    amends: bool = False
    initial_damping: float = INITIAL_DAMPING  # until a third computed step shows the best one; 0 holds the output

    def __post_init__(self) -> None:
        """Raise ValueError for noises that are not variances, before the first step."""
        self._build_filter()

    @property
    def needs_last_error(self) -> bool:
        """The last error is needed only for corrections."""
        return self.amends

    def init(self) -> DeadReckoningState:
        """Return the state without measurements."""
        return DeadReckoningState()

    def weights(self, state: DeadReckoningState, step: Step) -> PredictionWeights:
        """The line as weights of the kept outputs."""
        if len(step.gaps) < 2:
            return OUTPUT_HOLD_WEIGHTS
        damping = self.initial_damping if state.damping is None else state.damping.mean
        slope = compute_extrapolation_factor(step.gaps)
        reach = damping * (slope if damping > 0 else min(1.0, slope))  # a swing does not grow with the distance
        owed = self.amends and damping > 0 and slope < 1
        missed = (
            min(1.0, 2.0 * damping) * self.compute_lasting_error_share(state) * compute_mean_gap_error(step.gaps[1])
            if owed
            else 0.0
        )
        return PredictionWeights(0.0, ((0.0, 1.0 + reach), (0.0, -reach)), missed)

    def compute_lasting_error_share(self, state: DeadReckoningState) -> float:
        """The share of a prediction error that the next error does not cancel."""
        return 1.0 if state.error_correlation is None else min(1.0, 1.0 + state.error_correlation.mean)

    def learn(self, state: DeadReckoningState, outcome: Outcome) -> DeadReckoningState:
        """Track the best damping and the error correlation."""
        best = None if outcome.inner_products is None else fit_damping(outcome.inner_products, outcome.gaps)
        damping = self._track_value(state.damping, self.initial_damping, best, MIN_DAMPING, MAX_DAMPING)
        return DeadReckoningState(
            damping, self._track_value(state.error_correlation, 0.0, outcome.error_correlation, -1.0, 1.0)
        )

    def _track_value(
        self, belief: Gaussian | None, initial_value: float, observed: float | None, low: float, high: float
    ) -> Gaussian | None:
        if observed is None:
            return belief
        walk = self._build_filter()
        known = walk.start_belief(initial_value) if belief is None else belief
        return walk.correct(walk.predict(known, None), min(max(observed, low), high), None)[0]

    def _build_filter(self) -> RandomWalkFilter:
        return RandomWalkFilter(self.process_noise, self.measurement_noise)
