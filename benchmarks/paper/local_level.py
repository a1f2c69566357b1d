"""The local-level model of the paper's assumption 3.1, fitted by maximum likelihood.

    r_t = r_(t-1) + w_t,  z_t = r_t + v_t,  w ~ N(0, Q),  v ~ N(0, R)

z is the observed ratio. Nothing is known before the first observation (a diffuse start), so the likelihood is that of
the increments of z. The search is over the steady gain K, from 0 (Q = 0) to 1 (R = 0): Q = K^2 s and R = (1 - K) s give
it, and the best scale s has a closed form.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

GAINS = np.linspace(0.0, 1.0, 1001)
NEAR_BEST = 1.92  # half the 95 % quantile of chi squared with one degree of freedom
Floats = np.ndarray[Any, np.dtype[np.float64]]


class LocalLevelFit(NamedTuple):
    """The most likely noises and the gain at which their filter settles, with the 95 % profile interval of the gain."""

    process_noise: float  # Q
    measurement_noise: float  # R
    gain: float
    gain_low: float
    gain_high: float
    log_likelihood: float


def compute_log_likelihood(series: Sequence[float], process_noise: float, measurement_noise: float) -> float:
    """The log-likelihood of all observations after the first, by the Kalman filter.

    Example:
        >>> round(compute_log_likelihood([1.0, 3.0], 1.0, 0.5), 6)  # one increment of 2, its variance Q + 2R = 2
        -2.265512
    """
    squares, logs = _run_filter(series, np.array([process_noise]), np.array([measurement_noise]))
    count = len(series) - 1
    return float(-0.5 * (squares[0] + logs[0] + count * math.log(2 * math.pi)))


def fit_local_level(many: Sequence[Sequence[float]], gains: Floats = GAINS) -> LocalLevelFit:
    """Fit one Q and one R to several series.

    Example:
        >>> fit = fit_local_level([[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]])  # no step says anything about the next
        >>> fit.gain, fit.process_noise
        (0.0, 0.0)
    """
    q, r = gains**2, 1.0 - gains
    parts = [_run_filter(series, q, r) for series in many]
    squares, logs = (sum(each[n] for each in parts) for n in (0, 1))
    count = sum(len(series) - 1 for series in many)
    scale = np.maximum(squares / count, 1e-300)
    likely = -0.5 * (count * (np.log(2 * math.pi * scale) + 1.0) + logs)
    best = int(np.argmax(likely))
    near = gains[likely >= likely[best] - NEAR_BEST]
    noises = q[best] * scale[best], r[best] * scale[best]
    return LocalLevelFit(*map(float, (*noises, gains[best], near.min(), near.max(), likely[best])))


def _run_filter(series: Sequence[float], q: Floats, r: Floats) -> tuple[Floats, Floats]:
    """Sums of squared innovations over their variances, and of the logarithms of these, for every pair of noises."""
    mean, variance = np.full_like(q, series[0]), r.copy()
    squares, logs = np.zeros_like(q), np.zeros_like(q)
    for z in series[1:]:
        prior = variance + q
        total = prior + r
        squares += (z - mean) ** 2 / total
        logs += np.log(total)
        gain = prior / total
        mean = mean + gain * (z - mean)
        variance = (1.0 - gain) * prior
    return squares, logs
