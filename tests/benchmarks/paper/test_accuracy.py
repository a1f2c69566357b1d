"""Decision accuracy against brute force, and what it makes of the traces of real policies."""

import itertools

import numpy as np
import pytest
import torch
from benchmarks.paper.accuracy import (
    BINS,
    SMOOTHING,
    PredictionPoint,
    cosine,
    estimate_accuracy,
    kl_divergence,
    measure_accuracy,
    pearson,
    prediction_area,
    prediction_points,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy, pearsonr

import navicache

number = st.floats(-5, 5, allow_nan=False)
points = st.lists(st.builds(PredictionPoint, st.just(0), st.floats(0, 5), number, number), min_size=2, max_size=12)


def numbers(seed, count=400):
    generator = np.random.default_rng(seed)
    true = generator.gamma(2, 0.05, count)
    return true, true * generator.normal(1.1, 0.2, count)


@given(points)
def test_area_against_a_fine_sum(run):
    total, share = 0.0, (np.arange(2000) + 0.5) / 2000
    for a, b in itertools.pairwise(run):
        gap = (a.predicted - a.true) * (1 - share) + (b.predicted - b.true) * share
        total += abs(b.input_change - a.input_change) * np.abs(gap).mean()
    assert prediction_area(run) == pytest.approx(total, rel=1e-3, abs=1e-3)


def test_divergence_against_scipy():
    true, predicted = numbers(0)
    span = min(true.min(), predicted.min()), max(true.max(), predicted.max())
    counts = [np.histogram(values, BINS, span)[0] + SMOOTHING for values in (true, predicted)]
    assert kl_divergence(true, predicted) == pytest.approx(entropy(*counts))
    assert kl_divergence(true, true) == 0 < kl_divergence(true, predicted) < kl_divergence(true, 3 * predicted)
    assert kl_divergence(np.ones(4), np.ones(4)) == 0


def test_pearson_and_cosine_against_scipy_and_by_hand():
    true, predicted = numbers(1)
    assert pearson(predicted, true) == pytest.approx(pearsonr(predicted, true)[0])
    assert cosine(np.array([1.0, 0.0]), np.array([1.0, 1.0])) == pytest.approx(2**-0.5)
    assert pearson(np.ones(3), np.arange(3.0)) is None and cosine(np.zeros(3), np.ones(3)) is None


def test_errors_by_hand():
    found = measure_accuracy(
        [
            [PredictionPoint(0, 0, 1.0, 0.0), PredictionPoint(1, 1, 1.0, 0.0)],
            [PredictionPoint(0, 0, 0.0, 0.0), PredictionPoint(1, 1, 2.0, 0.0)],
        ]
    )
    assert (found.runs, found.points, found.mae, found.rmse) == (2, 4, 1.0, pytest.approx(1.5**0.5))
    assert found.area == pytest.approx((1 + 1) / 2)
    assert found.pearson is None, "the truth does not vary"
    with pytest.raises(ValueError, match="shadow mode"):
        measure_accuracy([[]])


def shadowed(policy, **knobs):
    """A toy whose output changes by a known share, seen from the full trajectory."""
    cache = navicache.enable(lambda x, t: 0.5 * x + 0.02 * t, policy, steps=16, shadow="full", **knobs)
    for step in range(16):
        cache(torch.linspace(1, 2, 8)[None] * (1 + 0.1 * step), float(16 - step))
    return cache.trace.runs[-1]


@pytest.mark.parametrize("policy", ["navicache", "easycache", "ema", "inertial"])
def test_every_policy_that_predicts_has_points(policy):
    knobs = {"align_steps": 3} | ({"speedup": 2.0} if policy == "inertial" else {"threshold": 0.3})
    truth, run = shadowed("easycache", threshold=0.0), shadowed(policy, **knobs)
    assert any(not step.computed for step in run.leading)
    found = prediction_points(run, truth)
    assert len(found) >= 8
    by_index = {step.index: step for step in run.leading}
    exact = {step.index: step.output_change for step in truth.leading}
    for point in found:
        own = run.belief == "predicted_change"
        assert point.predicted == by_index[point.index].predicted_change
        assert point.true == (by_index[point.index].reuse_error if own else exact[point.index])
    assert 0 <= measure_accuracy([found]).mae < 1
    assert prediction_points(shadowed("static"), truth) == (), "a fixed schedule predicts nothing"


@settings(max_examples=20, deadline=None)  # a thousand resamples each
@given(st.lists(points, min_size=1, max_size=3))
def test_an_interval_is_around_the_figure_of_all_runs(runs):
    found, whole = estimate_accuracy(runs), measure_accuracy(runs)
    for name, estimate in found.items():
        assert estimate.mean == getattr(whole, name) and estimate.count == len(runs)
    area = found["area"]  # a mean over the runs: its interval lies between the runs'
    single = [prediction_area(run) for run in runs]
    if len(runs) == 1:
        assert area.low is None
    else:
        assert min(single) - 1e-9 <= area.low <= area.high <= max(single) + 1e-9


def test_runs_that_differ_more_have_a_wider_interval():
    def run(error):
        return [PredictionPoint(i, i, i + error, i) for i in range(4)]

    near, far = (estimate_accuracy([run(1 - by), run(1), run(1 + by)])["mae"] for by in (0.1, 0.5))
    assert near.mean == pytest.approx(far.mean) and near.high - near.low < far.high - far.low
