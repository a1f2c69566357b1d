"""The steady state: against exact arithmetic, as a fixed point of the filter, and the published numbers."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import solve_discrete_are

from navicache.estimator import (
    Gaussian,
    correct,
    compute_hold_variance,
    compute_posterior_variance,
    predict,
    compute_prior_variance,
    compute_steady_gain,
    compute_theorem_bound,
)

powers = st.floats(-12, 12).map(lambda power: 10.0**power)


# shared/baselines/navicache.json, derived: steady_state
@pytest.mark.parametrize(
    ("q", "r", "posterior", "prior", "k"),
    [
        (0.05, 0.05, 0.030902, 0.080902, 0.618034),
        (0.005, 0.05, 0.013508, 0.018508, 0.270156),
        (0.05, 0.005, 0.00458, 0.05458, 0.91608),
    ],
)
def test_published_settings(q: float, r: float, posterior: float, prior: float, k: float):
    ours = (compute_posterior_variance(q, r), compute_prior_variance(q, r), compute_steady_gain(q, r))
    assert ours == pytest.approx((posterior, prior, k), abs=6e-7)
    assert compute_prior_variance(q, r) == pytest.approx(
        float(solve_discrete_are([[1.0]], [[1.0]], [[q]], [[r]])[0, 0])
    )


@given(powers, powers)
def test_against_exact_arithmetic(q: float, r: float):
    with localcontext() as context:
        context.prec = 80
        exact_q, exact_r = Decimal(q), Decimal(r)
        posterior = (-exact_q + (exact_q**2 + 4 * exact_q * exact_r).sqrt()) / 2
        prior = posterior + exact_q
        k = prior / (prior + exact_r)
    assert compute_posterior_variance(q, r) == pytest.approx(float(posterior), rel=2e-15)
    assert compute_prior_variance(q, r) == pytest.approx(float(prior), rel=2e-15)
    assert compute_steady_gain(q, r) == pytest.approx(float(k), rel=2e-15)


@given(powers, powers)
def test_it_is_a_fixed_point_of_the_filter(q: float, r: float):
    posterior = Gaussian(0.0, compute_posterior_variance(q, r))
    again = correct(predict(posterior, q), 0.0, r)
    assert again.variance == pytest.approx(posterior.variance, rel=4e-15)


@given(powers, powers)
def test_theorem(q: float, r: float):
    bound = compute_theorem_bound(q, r)
    assert 0.0 < bound.posterior <= bound.prior <= bound.hold == q + r
    if 1e-6 < q / r < 1e6:  # further apart the strict margins fall below the last digit
        assert bound.posterior < bound.prior < bound.hold


@pytest.mark.parametrize(("q", "r", "k"), [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 1.0)])
def test_limits(q: float, r: float, k: float):
    assert compute_steady_gain(q, r) == k
    assert compute_theorem_bound(q, r) == (0.0, q, q + r)


@pytest.mark.parametrize(("q", "r"), [(1e-200, 1e-200), (1e200, 1e200), (1e-300, 1e300)])
def test_no_overflow(q: float, r: float):
    # Q^2 + 4QR itself would be 0 or infinite here
    assert 0.0 < compute_posterior_variance(q, r) < r
    if q == r:
        assert compute_steady_gain(q, r) == pytest.approx(2 / (1 + math.sqrt(5)))


def test_hold_grows_with_the_gap():
    assert [compute_hold_variance(0.5, 0.25, gap) for gap in (0, 1, 2, 4)] == [0.25, 0.75, 1.25, 2.25]
    with pytest.raises(ValueError, match="gap is -1: give"):
        compute_hold_variance(0.5, 0.25, -1)


@pytest.mark.parametrize(
    "function",
    [
        compute_steady_gain,
        compute_posterior_variance,
        compute_prior_variance,
        compute_hold_variance,
        compute_theorem_bound,
    ],
)
@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_errors(function: Callable[[float, float], object], bad: float):
    with pytest.raises(ValueError, match=r"process_noise is .*give"):
        function(bad, 0.05)
    with pytest.raises(ValueError, match=r"measurement_noise is .*give"):
        function(0.05, bad)
