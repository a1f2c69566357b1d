"""One prediction and one correction of a scalar Kalman filter, as pure functions on `Gaussian(mean, variance)`.

Letters: x mean, P variance, Q process noise, R measurement noise, K gain, z the observed ratio.
"""

import math
from typing import NamedTuple


class Gaussian(NamedTuple):
    """The belief about a number: x ~ N(mean, variance).

    Example:
        >>> Gaussian(mean=1.0, variance=0.25)
        Gaussian(mean=1.0, variance=0.25)
    """

    mean: float
    variance: float


def predict(belief: Gaussian, process_noise: float) -> Gaussian:
    """One step of the random walk x' = x + w, Var w = Q: the mean stays, P' = P + Q.

    Example:
        >>> predict(Gaussian(2.0, 1.0), process_noise=0.5)
        Gaussian(mean=2.0, variance=1.5)
    """
    return Gaussian(belief.mean, belief.variance + process_noise)


def compute_gain(prior: Gaussian, measurement_noise: float, epsilon: float = 0.0) -> float:
    """How far an observation pulls the mean: K = P / (P + R + eps), between 0 and 1.

    If P + R + eps = 0 the belief is certain and nothing can move it: K = 0.

    Example:
        >>> compute_gain(Gaussian(2.0, 1.5), measurement_noise=0.5)
        0.75
    """
    total = prior.variance + measurement_noise + epsilon
    return prior.variance / total if total > 0.0 else 0.0


def correct(prior: Gaussian, z: float, measurement_noise: float, epsilon: float = 0.0) -> Gaussian:
    """Take in the observation z = x + v, Var v = R: x' = x + K (z - x), P' = (1 - K) P.

    `epsilon` is added to R. z must be finite: a NaN would stay in the mean for good.

    Example:
        >>> correct(Gaussian(2.0, 1.5), z=4.0, measurement_noise=0.5)
        Gaussian(mean=3.5, variance=0.375)
    """
    k = compute_gain(prior, measurement_noise, epsilon)
    # (1 - K) P = K (R + eps), but 1 - K has no digits left when R is far below P; min() undoes the last rounding.
    variance = min(prior.variance, k * (measurement_noise + epsilon))
    return Gaussian(prior.mean + k * (z - prior.mean), variance)


def compute_upper_bound(belief: Gaussian, deviations: float = 1.0) -> float:
    """A cautious value for x: x + n sqrt(P), n standard deviations above the mean.

    Example:
        >>> compute_upper_bound(Gaussian(1.0, 0.25), deviations=2.0)
        2.0
    """
    return belief.mean + deviations * math.sqrt(belief.variance)


def check_variance(name: str, variance: object) -> None:
    """Raise ValueError unless `variance` is a number, finite and not negative.

    Example:
        >>> check_variance("epsilon", -1.0)
        Traceback (most recent call last):
        ValueError: epsilon is -1.0: give a finite number that is not negative
    """
    if not isinstance(variance, int | float) or not (math.isfinite(variance) and variance >= 0.0):
        raise ValueError(f"{name} is {variance}: give a finite number that is not negative")
