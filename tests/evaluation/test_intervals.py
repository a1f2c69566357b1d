"""Bootstrap intervals, against brute force and what is known of the mean of a normal sample."""

import itertools

import numpy as np
import pytest

from navicache.evaluation.intervals import MeanEstimate, estimate_mean


def test_small_samples_against_every_possible_resample():
    values = [1.0, 2.0, 4.0, 8.0]
    every = [np.mean(draw) for draw in itertools.product(values, repeat=4)]
    low, high = np.quantile(every, [0.025, 0.975])
    found = estimate_mean(values)
    assert (found.mean, found.low, found.high) == (3.75, pytest.approx(low, abs=0.26), pytest.approx(high, abs=0.26))


def test_large_samples_against_the_normal_interval():
    values = np.random.default_rng(0).normal(5, 2, 4000)
    found = estimate_mean(values.tolist())
    half = 1.96 * values.std() / np.sqrt(4000)
    assert found.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_seeded_and_covered():
    generator = np.random.default_rng(1)
    samples = [generator.normal(0, 1, 40).tolist() for _ in range(200)]
    intervals = [estimate_mean(sample, resamples=500) for sample in samples]
    assert intervals == [estimate_mean(sample, resamples=500) for sample in samples]
    assert 0.88 < np.mean([found.low < 0 < found.high for found in intervals]) <= 1


def test_one_figure_and_none():
    assert estimate_mean([3.0]) == MeanEstimate(3.0, None, None, 1)
    with pytest.raises(ValueError, match="no figure"):
        estimate_mean([])
