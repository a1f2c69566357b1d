"""Whether a series is a random walk: tests of its increments, each from its textbook formula."""

from collections.abc import Sequence
from typing import Any

import numpy as np

LAGS = 5
LJUNG_BOX_LIMIT = 11.07  # 95 % quantile of chi squared with LAGS degrees of freedom
JARQUE_BERA_LIMIT = 5.99  # with two
SPAN = 4  # steps of the variance ratio
Floats = np.ndarray[Any, np.dtype[np.float64]]


def compute_autocorrelation(increments: Floats, lag: int = 1) -> float:
    """Autocorrelation about zero, which is the mean of a random walk's increments.

    Example:
        >>> compute_autocorrelation(np.array([1.0, -1.0, 1.0, -1.0]))
        -0.75
    """
    return float(increments[lag:] @ increments[:-lag] / (increments @ increments))


def compute_ljung_box(increments: Floats, lags: int = LAGS) -> float:
    """N (n + 2) times the sum of rho_k^2 / (n - k): large if increments depend on those before."""
    n = len(increments)
    return n * (n + 2) * sum(compute_autocorrelation(increments, k) ** 2 / (n - k) for k in range(1, lags + 1))


def compute_jarque_bera(increments: Floats) -> tuple[float, float]:
    """N (skewness^2 + excess^2 / 4) / 6, large if they are not Gaussian, and the excess kurtosis itself.

    Example:
        >>> statistic, excess = compute_jarque_bera(np.array([-1.0, 1.0, -1.0, 1.0]))
        >>> round(statistic, 6), excess  # two values alone: no tails
        (0.666667, -2.0)
    """
    centred = increments - increments.mean()
    variance = float((centred**2).mean())
    if variance**2 == 0.0:
        return 0.0, 0.0  # no spread
    skewness = float((centred**3).mean()) / variance**1.5
    excess = float((centred**4).mean()) / variance**2 - 3.0
    return len(increments) * (skewness**2 + excess**2 / 4.0) / 6.0, excess


def compute_variance_ratio(increments: Floats, span: int = SPAN) -> float:
    """Mean square over `span` steps, per step: 1 for a random walk, below with noise, above with momentum.

    Example:
        >>> compute_variance_ratio(np.ones(8)), compute_variance_ratio(np.array([1.0, -1.0] * 4))
        (4.0, 0.0)
    """
    sums = np.convolve(increments, np.ones(span), "valid")
    return float((sums**2).mean() / (span * (increments**2).mean()))


def compute_common_share(many: Sequence[Floats]) -> float:
    """The share of the mean square that is the same in all series; what chance adds to it is taken off.

    Example:
        >>> compute_common_share([np.array([1.0, 2.0]), np.array([1.0, 2.0])])
        1.0
    """
    table = np.stack(list(many))
    whole = float((table**2).mean())
    own = float(table.var(axis=0, ddof=1).mean())
    return max(0.0, 1.0 - own / whole)
