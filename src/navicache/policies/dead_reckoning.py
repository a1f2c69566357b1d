"""The predictor of `inertial`: the newest slope, damped as measured, and amends for what predictions before missed by.

    y_i ~ y_j + a (y_j - y_k) g_0 / g_1 + min(1, 2a) A m

y_j and y_k are the two newest computed outputs, g_1 steps apart, and g_0 steps have passed since the newer one. The
damping a is measured at every compute, where prediction and truth are both known (estimator/calibration.py), and
tracked by a scalar Kalman filter. Where extrapolation does not help it goes to zero, and what is left is holding the
output.

m = y_j - (y_j as the slope before had it) is what was missed at the newest compute. If a prediction was off by m at the
end of its gap, those within it were off by m / 2 in the mean, and the latent has moved along them: the share A = 1/2 of
m, added at as many steps, takes it back.
"""

from dataclasses import dataclass

from navicache.estimator import Gaussian, Walk, best_damping, slope_reach
from navicache.policies.predictors import OUTPUT
from navicache.policies.protocols import Outcome, Step, Weights

START, MOST = 1.0, 1.3  # damping believed at first, and the largest


@dataclass(frozen=True)
class DeadReckoning:
    """Carry the newest slope on, damped as measured; the state is what is believed about the damping.

    Example:
        >>> DeadReckoning().weights(None, Step(index=6, own_index=6, gaps=(2, 1)))
        Weights(input=0.0, references=((0.0, 3.0), (0.0, -2.0)), missed=0.0)
    """

    process_noise: float = 0.05
    measurement_noise: float = 0.05
    amends: float = 0.0  # A
    order: int = 2
    products: bool = True
    keeps_inputs: bool = False

    def __post_init__(self) -> None:
        """Refuse noises that are no variances, now and not at the first compute."""
        self._walk()

    @property
    def keeps_missed(self) -> bool:
        """What was missed is only needed to make amends."""
        return self.amends > 0

    def init(self) -> Gaussian | None:
        """No damping measured."""
        return None

    def weights(self, state: Gaussian | None, step: Step) -> Weights:
        """The line as multiples of the kept outputs."""
        if len(step.gaps) < 2:
            return OUTPUT
        damping = START if state is None else state.mean
        reach = damping * slope_reach(step.gaps)
        erred = state is not None and step.gaps[1] > 1  # steps before the newest compute were predicted, along a slope
        missed = self.amends * min(1.0, 2.0 * damping) if erred else 0.0
        return Weights(0.0, ((0.0, 1.0 + reach), (0.0, -reach)), missed)

    def learn(self, state: Gaussian | None, outcome: Outcome) -> Gaussian | None:
        """Follow the damping that would have been best."""
        best = None if outcome.products is None else best_damping(outcome.products, outcome.gaps)
        if best is None:
            return state
        walk = self._walk()
        before = walk.start(START) if state is None else state
        return walk.correct(walk.predict(before, None), min(max(best, 0.0), MOST), None)[0]

    def _walk(self) -> Walk:
        return Walk(self.process_noise, self.measurement_noise)
