"""How sure a mean is: bootstrap intervals, seeded, so that the same figures give the same interval."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

RESAMPLES = 10_000
SHARE = 0.95
SEED = 20_260_615
AT_ONCE = 2**22  # numbers drawn at a time: 32 MB


class Estimate(NamedTuple):
    """A mean and the interval that holds it; both ends are None for a single figure, which has no spread."""

    mean: float
    low: float | None
    high: float | None
    count: int  # pyright: ignore[reportIncompatibleMethodOverride]


def mean_interval(values: Sequence[float], resamples: int = RESAMPLES, seed: int = SEED) -> Estimate:
    """Mean with its 95 % percentile bootstrap interval: the figures are drawn again with replacement.

    Example:
        >>> mean_interval([1.0, 2.0, 3.0, 4.0])
        Estimate(mean=2.5, low=1.5, high=3.5, count=4)
        >>> mean_interval([7.0])
        Estimate(mean=7.0, low=None, high=None, count=1)
    """
    if not values:
        raise ValueError("no figure to take the mean of")
    figures = np.asarray(values, dtype=float)
    mean = float(figures.mean())
    if len(figures) == 1:
        return Estimate(mean, None, None, 1)
    if len(figures) * resamples <= AT_ONCE:
        means = _counts(len(figures), resamples, seed) @ figures / len(figures)
    else:
        means = np.concatenate([figures[drawn].mean(1) for drawn in _draws(len(figures), resamples, seed)])
    low, high = np.quantile(means, [(1 - SHARE) / 2, (1 + SHARE) / 2])
    return Estimate(mean, float(low), float(high), len(figures))


def _draws(count: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Which figures are drawn, a row a resample, as many rows at a time as memory should hold."""
    generator, each = np.random.default_rng(seed), max(1, AT_ONCE // count)
    for start in range(0, resamples, each):
        yield generator.integers(count, size=(min(each, resamples - start), count))


@lru_cache(maxsize=2)
def _counts(count: int, resamples: int, seed: int) -> np.ndarray:
    """How often each figure is drawn, a row a resample: the same for all figures of a table, which has thousands."""
    (drawn,) = _draws(count, resamples, seed)
    return np.stack([np.bincount(row, minlength=count) for row in drawn]).astype(float)
