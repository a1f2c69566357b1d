"""Walk and Drift: exact agreement without drift, invariants, steady state, errors."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navicache.estimator import (
    DriftFilter,
    Gaussian,
    RatioDriftBelief,
    NoiseSchedule,
    RandomWalkFilter,
    compute_prior_variance,
    compute_steady_gain,
)

noises = st.one_of(st.just(0.0), st.floats(-12, 12).map(lambda power: 10.0**power))
observations = st.lists(st.one_of(st.none(), st.floats(-1e3, 1e3)), min_size=1, max_size=12)


@given(noises, noises, noises, observations)
def test_drift_without_drift_is_walk_to_the_bit(q: float, r: float, p0: float, zs: list[float | None]):
    walk, drift = RandomWalkFilter(q, r, p0), DriftFilter(q, r, p0, drift_noise=0.0, initial_drift_variance=0.0)
    simple, dual = walk.start_belief(0.5), drift.start_belief(0.5)
    for z in zs:
        simple, dual = walk.predict(simple, None), drift.predict(dual, None)
        if z is not None:
            simple, gain = walk.correct(simple, z, None)
            dual, dual_gain = drift.correct(dual, z, None)
            assert dual_gain == gain
        assert drift.extract_ratio(dual) == walk.extract_ratio(simple) == simple


def _check_covariance(belief: RatioDriftBelief) -> None:
    p, c, q = belief.ratio_variance, belief.covariance, belief.drift_variance
    assert min(p, c, q) >= 0.0
    assert math.isfinite(belief.ratio)
    assert math.isfinite(belief.drift)
    # the drift's part that the ratio explains cannot exceed the drift's variance; rounding is relative to what
    # the variance was before an exact observation removed nearly all of it
    assert c * c <= p * q * (1 + 1e-6) + 1e-12 * max(1.0, p, q) ** 2


@given(noises, noises, noises, noises, observations)
def test_drift_stays_a_covariance(q: float, r: float, u: float, p0: float, zs: list[float | None]):
    drift = DriftFilter(q, r, p0, epsilon=0.0, drift_noise=u)
    belief = drift.start_belief(0.0)
    for z in zs:
        prior = drift.predict(belief, None)
        _check_covariance(prior)
        belief, gain = (prior, 0.0) if z is None else drift.correct(prior, z, None)
        _check_covariance(belief)
        assert 0.0 <= gain <= 1.0
        assert belief.ratio_variance <= prior.ratio_variance
        assert belief.drift_variance <= prior.drift_variance


def test_drift_by_hand():
    drift = DriftFilter(0.5, 1.0, 1.0, epsilon=0.0, drift_noise=0.25, initial_drift_variance=2.0)
    prior = drift.predict(drift.start_belief(3.0), None)
    assert prior == RatioDriftBelief(3.0, 0.0, 3.5, 2.0, 2.25)
    posterior, gain = drift.correct(prior, 12.0, None)
    assert gain == 3.5 / 4.5
    assert posterior == pytest.approx((10.0, 4.0, 3.5 / 4.5, 2.0 / 4.5, 2.25 - 4.0 / 4.5))


def test_drift_that_is_certain_learns_nothing():
    drift = DriftFilter(0.0, 0.0, 0.0, epsilon=0.0, drift_noise=0.0, initial_drift_variance=0.0)
    prior = drift.predict(drift.start_belief(1.0), None)
    assert drift.correct(prior, 2.0, None) == (prior, 0.0)


@pytest.mark.parametrize(("gap", "variance"), [(3, 0.1), (5, 0.3), (6, 0.7)])
def test_exact_observation_leaves_no_negative_variance(gap: int, variance: float):
    # r = gap d exactly, so seeing r tells d; without the guard rounding leaves about -1e-16
    drift = DriftFilter(0.0, 0.0, 0.0, epsilon=0.0, drift_noise=0.0, initial_drift_variance=variance)
    belief = drift.start_belief(0.0)
    for _ in range(gap):
        belief = drift.predict(belief, None)
    belief, _ = drift.correct(belief, 2.0 * gap, None)
    assert belief == (2.0 * gap, pytest.approx(2.0), 0.0, 0.0, 0.0)


def test_drift_follows_a_line_where_walk_lags():
    walk, drift = RandomWalkFilter(), DriftFilter()
    simple, dual = walk.start_belief(0.0), drift.start_belief(0.0)
    for step in range(1, 41):
        simple, _ = walk.correct(walk.predict(simple, None), 0.1 * step, None)
        dual, _ = drift.correct(drift.predict(dual, None), 0.1 * step, None)
    assert drift.predict(dual, None).ratio == pytest.approx(4.1, abs=1e-3)
    # a constant slope s leaves a lag of s / K in the prior of a random walk
    assert walk.predict(simple, None).mean == pytest.approx(4.1 - 0.1 / compute_steady_gain(0.05, 0.05), abs=1e-3)


@pytest.mark.parametrize(("q", "r"), [(0.05, 0.05), (0.005, 0.05), (0.05, 0.005), (1e-3, 1.0), (1.0, 1e-9)])
def test_walk_settles_at_the_riccati_solution(q: float, r: float):
    walk = RandomWalkFilter(q, r, epsilon=0.0)
    belief, gain = walk.start_belief(0.0), 0.0
    for _ in range(500):
        belief, gain = walk.correct(walk.predict(belief, None), 1.0, None)
    assert walk.predict(belief, None).variance == pytest.approx(compute_prior_variance(q, r), rel=1e-9)
    assert gain == pytest.approx(compute_steady_gain(q, r), rel=1e-9)


def test_schedules_are_read_at_the_step():
    up = NoiseSchedule(((0.0, 1.0), (1.0, 3.0)))
    walk, drift = RandomWalkFilter(up, up, 1.0, 0.0), DriftFilter(up, up, 1.0, 0.0, up, 0.0)
    assert walk.predict(Gaussian(0.0, 1.0), 0.5).variance == 3.0
    assert walk.correct(Gaussian(0.0, 1.0), 1.0, 1.0) == (Gaussian(0.25, 0.75), 0.25)
    assert walk.correct(Gaussian(0.0, 2.0), 1.0, None)[1] == 0.5
    assert drift.predict(drift.start_belief(0.0), 0.5) == RatioDriftBelief(0.0, 0.0, 3.0, 0.0, 2.0)


@pytest.mark.parametrize("kind", [RandomWalkFilter, DriftFilter])
@pytest.mark.parametrize("name", ["process_noise", "measurement_noise", "initial_variance", "epsilon"])
@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_errors_name_the_knob(kind: Any, name: str, bad: float):
    with pytest.raises(ValueError, match=f"{name} is {bad}: give"):
        kind(**{name: bad})


@pytest.mark.parametrize("name", ["drift_noise", "initial_drift_variance"])
def test_errors_of_drift(name: str):
    arguments: Any = {name: -0.1}
    with pytest.raises(ValueError, match=f"{name} is -0.1: give"):
        DriftFilter(**arguments)
