"""Bootstrap intervals of a mean, seeded so that the same values give the same interval."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

RESAMPLES = 10_000
CONFIDENCE = 0.95
SEED = 20_260_615
MAX_NUMBERS_AT_ONCE = 2**22  # numbers drawn at a time: 32 MB


class MeanEstimate(NamedTuple):
    """A mean and its interval; both ends are None for a single value, which has no spread."""

    mean: float
    low: float | None
    high: float | None
    count: int  # pyright: ignore[reportIncompatibleMethodOverride]


def estimate_mean(values: Sequence[float], resamples: int = RESAMPLES, seed: int = SEED) -> MeanEstimate:
    """Estimate a mean with its 95 % percentile bootstrap interval: the values are drawn again with replacement.

    Example:
        >>> estimate_mean([1.0, 2.0, 3.0, 4.0])
        MeanEstimate(mean=2.5, low=1.5, high=3.5, count=4)
        >>> estimate_mean([7.0])
        MeanEstimate(mean=7.0, low=None, high=None, count=1)
    """
    if not values:
        raise ValueError("no figure to take the mean of")
    figures = np.asarray(values, dtype=float)
    mean = float(figures.mean())
    if len(figures) == 1:
        return MeanEstimate(mean, None, None, 1)
    if len(figures) * resamples <= MAX_NUMBERS_AT_ONCE:
        means = _count_draws(len(figures), resamples, seed) @ figures / len(figures)
    else:
        means = np.concatenate([figures[drawn].mean(1) for drawn in _draw_resamples(len(figures), resamples, seed)])
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return MeanEstimate(mean, float(low), float(high), len(figures))


def _draw_resamples(value_count: int, resamples: int, seed: int) -> Iterator[np.ndarray]:
    """Draw the indices of the values, one row per resample, a limited number of rows at a time."""
    generator, each = np.random.default_rng(seed), max(1, MAX_NUMBERS_AT_ONCE // value_count)
    for start in range(0, resamples, each):
        yield generator.integers(value_count, size=(min(each, resamples - start), value_count))


@lru_cache(maxsize=2)
def _count_draws(value_count: int, resamples: int, seed: int) -> np.ndarray:
    """Count how often each value is drawn, one row per resample. Cached: a table has thousands of means."""
    (drawn,) = _draw_resamples(value_count, resamples, seed)
    return np.stack([np.bincount(row, minlength=value_count) for row in drawn]).astype(float)
