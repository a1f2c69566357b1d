"""The predictor of `inertial`: the newest slope, damped as measured, and amends for what predictions before missed by.

    y_i ~ y_j + a (y_j - y_k) g + min(1, 2a) min(1, 1 + r) s m
    g = g_0 / g_1, where a < 0 no more than 1
    s = (5 g_1 - 1) / (12 g_1) while g_0 < g_1 and a > 0, else 0

y_j and y_k are the two newest computed outputs, g_1 steps apart, and g_0 steps have passed since the newer one. The
damping a is measured at every compute, where prediction and truth are both known (estimator/calibration.py), and
tracked by a scalar Kalman filter. Where extrapolation does not help it goes to zero, and what is left is holding the
output. Where the output swings from step to step, as under strong guidance, it falls below zero: then a point between
the two newest outputs stands for those to come, at most midway, and no farther off after a longer gap.

m = y_j - (y_j as the slope before had it) is what was missed at the newest compute, g_1 steps after the one before. A
line leaves a parabola as its square, so the g_1 - 1 predictions within that gap were off by s m in the mean, and the
latent has moved along them: s m, added to as many outputs again, takes it back. No more than that is paid: over a
longer gap than the one before it would be a new error. And less where misses alternate, for then they take each other
back: r is how much of a miss the next one repeats, measured at every compute and tracked as the damping is.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from navicache.estimator import Gaussian, RandomWalkFilter, fit_damping, compute_extrapolation_factor
from navicache.policies.predictors import OUTPUT_HOLD_WEIGHTS
from navicache.policies.protocols import Outcome, Step, PredictionWeights

INITIAL_DAMPING = 1.0  # damping believed at first
MIN_DAMPING, MAX_DAMPING = -0.5, 1.3  # midway between the two newest outputs, and somewhat beyond the line


def compute_mean_gap_error(gap: int) -> float:
    """What predictions within a gap were off by in the mean, where the one at its end was off by 1.

    The line stood on two points as far apart as the gap is long, and the truth is a parabola through them.

    Example:
        >>> compute_mean_gap_error(2), compute_mean_gap_error(3) == (4 / 18 + 10 / 18) / 2
        (0.375, True)
    """
    return (5 * gap - 1) / (12 * gap)


class DeadReckoningState(NamedTuple):
    """What is believed of the course; None before it was measured."""

    damping: Gaussian | None = None
    error_correlation: Gaussian | None = (
        None  # how much of a miss the next one repeats; below 0 they take each other back
    )


@dataclass(frozen=True)
class DeadReckoning:
    """Carry the newest slope on, damped as measured.

    Example:
        >>> DeadReckoning().weights(DeadReckoningState(), Step(index=6, own_index=6, gaps=(2, 1)))
        Weights(input=0.0, references=((0.0, 3.0), (0.0, -2.0)), missed=0.0)
    """

    history_length: int = field(default=2, init=False)
    needs_inner_products: bool = field(default=True, init=False)
    needs_past_inputs: bool = field(default=False, init=False)

    process_noise: float = 0.05
    measurement_noise: float = 0.05
    amends: bool = False

    def __post_init__(self) -> None:
        """Refuse noises that are no variances, now and not at the first compute."""
        self._build_filter()

    @property
    def needs_last_error(self) -> bool:
        """What was missed is only needed to make amends."""
        return self.amends

    def init(self) -> DeadReckoningState:
        """Nothing measured."""
        return DeadReckoningState()

    def weights(self, state: DeadReckoningState, step: Step) -> PredictionWeights:
        """The line as multiples of the kept outputs."""
        if len(step.gaps) < 2:
            return OUTPUT_HOLD_WEIGHTS
        damping = INITIAL_DAMPING if state.damping is None else state.damping.mean
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
        """The share of a miss that the next one does not take back."""
        return 1.0 if state.error_correlation is None else min(1.0, 1.0 + state.error_correlation.mean)

    def learn(self, state: DeadReckoningState, outcome: Outcome) -> DeadReckoningState:
        """Follow the damping that would have been best, and whether misses repeat."""
        best = None if outcome.inner_products is None else fit_damping(outcome.inner_products, outcome.gaps)
        damping = self._track_value(state.damping, INITIAL_DAMPING, best, MIN_DAMPING, MAX_DAMPING)
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
