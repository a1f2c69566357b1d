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

from navicache.estimator import Gaussian, Walk, best_damping, slope_reach
from navicache.policies.predictors import OUTPUT
from navicache.policies.protocols import Outcome, Step, Weights

START = 1.0  # damping believed at first
LEAST, MOST = -0.5, 1.3  # midway between the two newest outputs, and somewhat beyond the line


def mean_miss(gap: int) -> float:
    """What predictions within a gap were off by in the mean, where the one at its end was off by 1.

    The line stood on two points as far apart as the gap is long, and the truth is a parabola through them.

    Example:
        >>> mean_miss(2), mean_miss(3) == (4 / 18 + 10 / 18) / 2
        (0.375, True)
    """
    return (5 * gap - 1) / (12 * gap)


class Course(NamedTuple):
    """What is believed of the course; None before it was measured."""

    damping: Gaussian | None = None
    repeat: Gaussian | None = None  # how much of a miss the next one repeats; below 0 they take each other back


@dataclass(frozen=True)
class DeadReckoning:
    """Carry the newest slope on, damped as measured.

    Example:
        >>> DeadReckoning().weights(Course(), Step(index=6, own_index=6, gaps=(2, 1)))
        Weights(input=0.0, references=((0.0, 3.0), (0.0, -2.0)), missed=0.0)
    """

    order: int = field(default=2, init=False)
    products: bool = field(default=True, init=False)
    keeps_inputs: bool = field(default=False, init=False)

    process_noise: float = 0.05
    measurement_noise: float = 0.05
    amends: bool = False

    def __post_init__(self) -> None:
        """Refuse noises that are no variances, now and not at the first compute."""
        self._walk()

    @property
    def keeps_missed(self) -> bool:
        """What was missed is only needed to make amends."""
        return self.amends

    def init(self) -> Course:
        """Nothing measured."""
        return Course()

    def weights(self, state: Course, step: Step) -> Weights:
        """The line as multiples of the kept outputs."""
        if len(step.gaps) < 2:
            return OUTPUT
        damping = START if state.damping is None else state.damping.mean
        slope = slope_reach(step.gaps)
        reach = damping * (slope if damping > 0 else min(1.0, slope))  # a swing does not grow with the distance
        owed = self.amends and damping > 0 and slope < 1
        missed = min(1.0, 2.0 * damping) * self.lasting(state) * mean_miss(step.gaps[1]) if owed else 0.0
        return Weights(0.0, ((0.0, 1.0 + reach), (0.0, -reach)), missed)

    def lasting(self, state: Course) -> float:
        """The share of a miss that the next one does not take back."""
        return 1.0 if state.repeat is None else min(1.0, 1.0 + state.repeat.mean)

    def learn(self, state: Course, outcome: Outcome) -> Course:
        """Follow the damping that would have been best, and whether misses repeat."""
        best = None if outcome.products is None else best_damping(outcome.products, outcome.gaps)
        damping = self._followed(state.damping, START, best, LEAST, MOST)
        return Course(damping, self._followed(state.repeat, 0.0, outcome.repeat, -1.0, 1.0))

    def _followed(
        self, before: Gaussian | None, start: float, seen: float | None, low: float, high: float
    ) -> Gaussian | None:
        if seen is None:
            return before
        walk = self._walk()
        known = walk.start(start) if before is None else before
        return walk.correct(walk.predict(known, None), min(max(seen, low), high), None)[0]

    def _walk(self) -> Walk:
        return Walk(self.process_noise, self.measurement_noise)
