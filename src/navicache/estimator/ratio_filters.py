"""One-dimensional filters of the ratio behind one small interface.

The abstract of the paper tracks "the feature change ratio and its latent drift"; its method section and the official
code track the ratio and its variance. So there are two filters, and they agree if the drift is known to be zero:

1. `RandomWalkFilter`: r_t = r_{t-1} + w. The paper's method, used by default.
2. `DriftFilter`: r_t = r_{t-1} + d_{t-1} + w, d_t = d_{t-1} + u. The abstract's, with momentum.

A filter is a frozen record of its knobs. Beliefs go in and come out; nothing is kept.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from navicache.estimator import gaussian
from navicache.estimator.gaussian import Gaussian, check_variance
from navicache.estimator.noise import Noise, check_noise, evaluate_noise

BeliefT = TypeVar("BeliefT")


class RatioFilter(Protocol[BeliefT]):
    """The interface of every filter; BeliefT is the type of its belief. `progress` is in [0, 1], None if unknown.

    Example:
        >>> walk: RatioFilter[Gaussian] = RandomWalkFilter(process_noise=0.5, measurement_noise=0.5, epsilon=0.0)
        >>> prior = walk.predict(walk.start_belief(2.0), progress=None)
        >>> walk.correct(prior, z=4.0, progress=None)
        (Gaussian(mean=3.5, variance=0.375), 0.75)
    """

    def start_belief(self, mean: float) -> BeliefT:
        """A belief about a ratio near `mean`, with the initial variance of the filter."""
        ...

    def predict(self, belief: BeliefT, progress: float | None) -> BeliefT:
        """The belief one step later, nothing observed."""
        ...

    def correct(self, prior: BeliefT, z: float, progress: float | None) -> tuple[BeliefT, float]:
        """The belief after the observed ratio z, and the gain of the ratio."""
        ...

    def extract_ratio(self, belief: BeliefT) -> Gaussian:
        """The marginal belief about the ratio."""
        ...


@dataclass(frozen=True)
class FilterKnobs:
    """The knobs of every filter; the numbers are the paper's, `epsilon` is the official code's."""

    process_noise: Noise = 0.05
    measurement_noise: Noise = 0.05
    initial_variance: float = 1.0
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        """Raise ValueError for numbers that are not variances."""
        check_noise("process_noise", self.process_noise)
        check_noise("measurement_noise", self.measurement_noise)
        check_variance("initial_variance", self.initial_variance)
        check_variance("epsilon", self.epsilon)


@dataclass(frozen=True)
class RandomWalkFilter(FilterKnobs):
    """The paper's random walk: r_t = r_{t-1} + w, z_t = r_t + v, Var w = Q, Var v = R.

    Example:
        >>> walk = RandomWalkFilter()
        >>> belief, gain = walk.correct(walk.predict(walk.start_belief(0.0), None), 1.0, None)
        >>> round(belief.mean, 6), round(belief.variance, 6), round(gain, 6)
        (0.954545, 0.047727, 0.954545)
    """

    def start_belief(self, mean: float) -> Gaussian:
        """N(mean, P_0)."""
        return Gaussian(mean, self.initial_variance)

    def predict(self, belief: Gaussian, progress: float | None) -> Gaussian:
        """P' = P + Q."""
        return gaussian.predict(belief, evaluate_noise(self.process_noise, progress))

    def correct(self, prior: Gaussian, z: float, progress: float | None) -> tuple[Gaussian, float]:
        """K = P / (P + R + eps), r' = r + K (z - r), P' = (1 - K) P."""
        noise = evaluate_noise(self.measurement_noise, progress)
        return gaussian.correct(prior, z, noise, self.epsilon), gaussian.compute_gain(prior, noise, self.epsilon)

    def extract_ratio(self, belief: Gaussian) -> Gaussian:
        """The belief itself."""
        return belief


class RatioDriftBelief(NamedTuple):
    """The belief about a ratio r and its drift d per step: their means and P = [[p, c], [c, q]].

    Example:
        >>> DriftFilter().start_belief(2.0)
        RatioDriftBelief(ratio=2.0, drift=0.0, ratio_variance=1.0, covariance=0.0, drift_variance=1.0)
    """

    ratio: float
    drift: float
    ratio_variance: float  # p
    covariance: float  # c, never negative: the ratio moves with its drift
    drift_variance: float  # q


@dataclass(frozen=True)
class DriftFilter(FilterKnobs):
    """The abstract's dual state (r, d): F = [[1, 1], [0, 1]], H = [1, 0], Q = diag(process_noise, drift_noise).

    With `drift_noise` and `initial_drift_variance` zero it is `RandomWalkFilter`, to the last bit.

    Example:
        >>> drift = DriftFilter(measurement_noise=0.0, epsilon=0.0)
        >>> belief = drift.start_belief(0.0)
        >>> for z in (1.0, 2.0, 3.0):
        ...     belief, gain = drift.correct(drift.predict(belief, None), z, None)
        >>> round(drift.predict(belief, None).ratio, 2)  # it has learnt the rise; a RandomWalkFilter predicts 3.0
        3.98
    """

    drift_noise: Noise = 0.01
    initial_drift_variance: float = 1.0

    def __post_init__(self) -> None:
        """Raise ValueError for numbers that are not variances."""
        super().__post_init__()
        check_noise("drift_noise", self.drift_noise)
        check_variance("initial_drift_variance", self.initial_drift_variance)

    def start_belief(self, mean: float) -> RatioDriftBelief:
        """N((mean, 0), diag(initial_variance, initial_drift_variance))."""
        return RatioDriftBelief(mean, 0.0, self.initial_variance, 0.0, self.initial_drift_variance)

    def predict(self, belief: RatioDriftBelief, progress: float | None) -> RatioDriftBelief:
        """(r, d)' = F (r, d) and P' = F P F^T + Q: p' = p + 2c + q + Q_r, c' = c + q, q' = q + Q_d."""
        r, d, p, c, q = belief
        spread = p + 2.0 * c + q + evaluate_noise(self.process_noise, progress)
        return RatioDriftBelief(r + d, d, spread, c + q, q + evaluate_noise(self.drift_noise, progress))

    def correct(self, prior: RatioDriftBelief, z: float, progress: float | None) -> tuple[RatioDriftBelief, float]:
        """S = p + R + eps, K = (p, c) / S, (r, d)' = (r, d) + K (z - r), P' = P - K S K^T."""
        noise = evaluate_noise(self.measurement_noise, progress)
        s = prior.ratio_variance + noise + self.epsilon
        if s == 0.0:  # a certain ratio has no covariance with its drift: nothing to learn
            return prior, 0.0
        marginal = self.extract_ratio(prior)
        ratio = gaussian.correct(marginal, z, noise, self.epsilon)
        drift_gain = prior.covariance / s
        posterior = RatioDriftBelief(
            ratio.mean,
            prior.drift + drift_gain * (z - prior.ratio),
            ratio.variance,
            drift_gain * (noise + self.epsilon),
            # q - c^2 / S >= 0 because c^2 <= p q, but the last digit can fall on the wrong side when R = 0.
            max(0.0, prior.drift_variance - drift_gain * prior.covariance),
        )
        return posterior, gaussian.compute_gain(marginal, noise, self.epsilon)

    def extract_ratio(self, belief: RatioDriftBelief) -> Gaussian:
        """N(r, p)."""
        return Gaussian(belief.ratio, belief.ratio_variance)
