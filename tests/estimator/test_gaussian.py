"""Prediction and correction of one Gaussian: hand arithmetic and properties over 24 orders of magnitude."""

import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from navicache.estimator import Gaussian, correct, compute_gain, predict, compute_upper_bound

means = st.floats(-1e6, 1e6)
variances = st.one_of(st.just(0.0), st.floats(-12, 12).map(lambda power: 10.0**power))


def test_official_first_update():
    # shared/baselines/navicache.json, unit_test_vectors: "first filter update (Wan2.2 hook)"
    prior = predict(Gaussian(0.0, 1.0), 0.05)
    assert prior == Gaussian(0.0, 1.05)
    assert compute_gain(prior, 0.05, 1e-8) == pytest.approx(1.05 / (1.10 + 1e-8), rel=1e-15)
    posterior = correct(prior, 1.0, 0.05, 1e-8)
    assert posterior.mean == pytest.approx(0.954545, abs=1e-6)
    assert posterior.variance == pytest.approx(0.047727, abs=1e-6)


def test_a_certain_belief_does_not_move():
    certain = Gaussian(2.0, 0.0)
    assert compute_gain(certain, 0.0) == 0.0
    assert correct(certain, 5.0, 0.0) == certain
    assert correct(certain, 5.0, 1.0) == certain


def test_a_perfect_observation_is_believed():
    assert correct(Gaussian(2.0, 1.0), 5.0, 0.0) == Gaussian(5.0, 0.0)


def test_upper_bound():
    assert compute_upper_bound(Gaussian(1.0, 4.0)) == 3.0
    assert compute_upper_bound(Gaussian(1.0, 4.0), deviations=-0.5) == 0.0
    with pytest.raises(ValueError, match=r"math domain|nonnegative"):  # as Python words it, older and newer
        compute_upper_bound(Gaussian(1.0, -1e-3))


@given(means, variances, variances)
def test_prediction_never_gets_surer(mean: float, variance: float, noise: float):
    prior = predict(Gaussian(mean, variance), noise)
    assert prior.mean == mean
    assert prior.variance >= variance
    assert prior.variance >= noise


@given(means, variances, means, variances)
@example(0.0, 1.113603066933213e-08, 1.0, 325914145579.8251)  # K R alone rounds to more than P here
def test_correction_stays_in_range(mean: float, variance: float, z: float, noise: float):
    prior = Gaussian(mean, variance)
    posterior = correct(prior, z, noise)
    assert 0.0 <= compute_gain(prior, noise) <= 1.0
    assert 0.0 <= posterior.variance <= variance
    rounding = 4 * math.ulp(max(abs(mean), abs(z)))
    assert min(mean, z) - rounding <= posterior.mean <= max(mean, z) + rounding


@given(st.floats(-12, 12), st.floats(-12, 12))
def test_variance_keeps_its_digits(variance_power: float, noise_power: float):
    variance, noise = 10.0**variance_power, 10.0**noise_power
    with localcontext() as context:
        context.prec = 60
        p, r = Decimal(variance), Decimal(noise)
        exact = (1 - p / (p + r)) * p
        error = abs(Decimal(correct(Gaussian(0.0, variance), 1.0, noise).variance) - exact) / exact
    assert error < 1e-15


@given(means, variances, means, variances, st.floats(0.0, 1e3))
def test_epsilon_is_measurement_noise(mean: float, variance: float, z: float, noise: float, epsilon: float):
    prior = Gaussian(mean, variance)
    # a subnormal sum cannot tell the two apart to many digits, hence the absolute floor
    assert correct(prior, z, noise, epsilon) == pytest.approx(correct(prior, z, noise + epsilon), rel=1e-9, abs=1e-9)
