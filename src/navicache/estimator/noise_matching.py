"""A random walk filter that finds Q and R from increments d_t = z_t - z_(t-1): E d_t^2 = Q + 2R, E d_t d_(t-1) = -R."""

from dataclasses import dataclass
from typing import NamedTuple

from navicache.estimator import gaussian
from navicache.estimator.gaussian import Gaussian


class MatchedBelief(NamedTuple):
    """The belief about the ratio, the newest z and d, and the averages of d_t^2 and d_t d_(t-1); None: not seen yet."""

    ratio: Gaussian
    newest: float | None = None
    increment: float | None = None
    square: float = 0.0
    product: float | None = None


@dataclass(frozen=True)
class NoiseMatchingFilter:
    """R = max(0, -average product), Q = max(0, average square - 2R); both 0.05 until three ratios were seen."""

    initial_variance: float = 1.0
    epsilon: float = 1e-8
    memory: float = 0.2  # weight of the newest increment

    def start_belief(self, mean: float) -> MatchedBelief:
        """N(mean, P_0), nothing seen."""
        return MatchedBelief(Gaussian(mean, self.initial_variance))

    def predict(self, belief: MatchedBelief, progress: float | None) -> MatchedBelief:
        """P' = P + Q."""
        del progress
        return belief._replace(ratio=gaussian.predict(belief.ratio, _match_noises(belief)[0]))

    def correct(self, prior: MatchedBelief, z: float, progress: float | None) -> tuple[MatchedBelief, float]:
        """Correct with R, then add the increment to the averages."""
        del progress
        noise = _match_noises(prior)[1]
        gain = gaussian.compute_gain(prior.ratio, noise, self.epsilon)
        ratio = gaussian.correct(prior.ratio, z, noise, self.epsilon)
        d, before = None if prior.newest is None else z - prior.newest, prior.increment
        if d is None or before is None:
            return MatchedBelief(ratio, z, d, 0.0 if d is None else d * d), gain
        old = d * before if prior.product is None else prior.product
        square, product = (a + self.memory * (b - a) for a, b in ((prior.square, d * d), (old, d * before)))
        return MatchedBelief(ratio, z, d, square, product), gain

    def extract_ratio(self, belief: MatchedBelief) -> Gaussian:
        """The belief about the ratio alone."""
        return belief.ratio


def _match_noises(belief: MatchedBelief) -> tuple[float, float]:
    noise = 0.05 if belief.product is None else max(0.0, -belief.product)
    return (noise if belief.product is None else max(0.0, belief.square - 2.0 * noise)), noise
