"""The steady state of the random walk filter, and the paper's theorem: its error is below that of holding.

Letters: P posterior variance, P- prior variance, K gain, all at t -> infinity; Q process noise, R measurement noise.
The appendix gives P as the positive root of P^2 + Q P - Q R = 0. Everything here comes from the gain,

    K = 2 sqrt(Q) / (sqrt(Q) + sqrt(Q + 4R)),    P = K R,    P- = P + Q,

which is the same root without a difference of nearly equal numbers.
"""

import math
from typing import NamedTuple

from navicache.estimator.gaussian import check_variance


def compute_steady_gain(process_noise: float, measurement_noise: float) -> float:
    """K = P- / (P- + R): the weight of every observation in the long run.

    0 if Q = 0: a ratio that never moves is known in the end.

    Example:
        >>> round(compute_steady_gain(0.05, 0.05), 6)  # Q = R: one over the golden ratio
        0.618034
    """
    check_variance("process_noise", process_noise)
    check_variance("measurement_noise", measurement_noise)
    low, high = math.sqrt(process_noise), math.sqrt(process_noise + 4.0 * measurement_noise)
    return 2.0 * low / (low + high) if high > 0.0 else 0.0


def compute_posterior_variance(process_noise: float, measurement_noise: float) -> float:
    """P = (-Q + sqrt(Q^2 + 4QR)) / 2 = K R: the error right after an observation.

    Example:
        >>> round(compute_posterior_variance(0.05, 0.05), 6)
        0.030902
    """
    return compute_steady_gain(process_noise, measurement_noise) * measurement_noise


def compute_prior_variance(process_noise: float, measurement_noise: float) -> float:
    """P- = P + Q: the error one step after an observation, when the next decision is taken.

    Example:
        >>> round(compute_prior_variance(0.05, 0.05), 6)
        0.080902
    """
    return compute_posterior_variance(process_noise, measurement_noise) + process_noise


def compute_hold_variance(process_noise: float, measurement_noise: float, gap: int = 1) -> float:
    """The error of using the last observation `gap` steps later (zero-order hold): gap Q + R.

    Example:
        >>> compute_hold_variance(0.5, 0.25), compute_hold_variance(0.5, 0.25, gap=3)
        (0.75, 1.75)
    """
    check_variance("process_noise", process_noise)
    check_variance("measurement_noise", measurement_noise)
    if gap < 0:
        raise ValueError(f"gap is {gap}: give the number of steps since the last observation, 0 or more")
    return gap * process_noise + measurement_noise


class TheoremBound(NamedTuple):
    """The three errors of the theorem, for Q > 0 and R > 0: posterior < prior < hold.

    The fair pair is prior against hold: both speak about the next step, before it is observed.

    Example:
        >>> posterior, prior, hold = compute_theorem_bound(0.05, 0.05)
        >>> posterior < prior < hold
        True
    """

    posterior: float  # P
    prior: float  # P-
    hold: float  # Q + R


def compute_theorem_bound(process_noise: float, measurement_noise: float) -> TheoremBound:
    """Both sides of the theorem: P < Q + R and P- < Q + R.

    Example:
        >>> [round(error, 4) for error in compute_theorem_bound(0.05, 0.05)]
        [0.0309, 0.0809, 0.1]
    """
    return TheoremBound(
        compute_posterior_variance(process_noise, measurement_noise),
        compute_prior_variance(process_noise, measurement_noise),
        compute_hold_variance(process_noise, measurement_noise),
    )
