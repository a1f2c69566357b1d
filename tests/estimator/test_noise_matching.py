"""The filter that finds its own noises, against brute force and against the random walk filter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navicache.estimator import Gaussian, RandomWalkFilter, compute_gain, correct, predict
from navicache.estimator.noise_matching import NoiseMatchingFilter
from navicache.policies import NaviCache

MEMORY = 0.2


def follow(matching, ratios):
    belief = matching.start_belief(ratios[0])
    gains = []
    for z in ratios:
        belief, gain = matching.correct(matching.predict(belief, None), z, None)
        gains.append(gain)
    return belief, gains


def average(values):
    """The weighted sum that exponential averaging is: the first value has what the others leave."""
    weights = [MEMORY * (1 - MEMORY) ** (len(values) - 1 - k) for k in range(len(values))]
    weights[0] = (1 - MEMORY) ** (len(values) - 1)
    return float(np.dot(weights, values))


@given(st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=9))
def test_the_filter_is_a_kalman_filter_with_the_noises_of_all_it_has_seen(ratios):
    belief, gain = Gaussian(ratios[0], 1.0), 0.0
    for count, z in enumerate(ratios):
        d = np.diff(ratios[:count])
        q = r = 0.05
        if len(d) >= 2:
            r = max(0.0, -average(d[1:] * d[:-1]))
            q = max(0.0, average(d**2) - 2 * r)
        belief = predict(belief, q)
        gain = compute_gain(belief, r, 1e-8)
        belief = correct(belief, z, r, 1e-8)
    found, gains = follow(NoiseMatchingFilter(), ratios)
    assert (*found.ratio, gains[-1]) == pytest.approx((*belief, gain), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("q", "r", "low", "high"), [(1.0, 0.0, 0.75, 1.0), (0.02, 1.0, 0.0, 0.45)])
def test_on_a_long_walk_the_gain_goes_to_that_of_the_walk(q, r, low, high):
    draw = np.random.default_rng(7)
    walk = np.cumsum(draw.normal(0.0, q**0.5, 2000)) + draw.normal(0.0, r**0.5, 2000)
    _, gains = follow(NoiseMatchingFilter(memory=0.01), list(map(float, walk)))
    assert low <= np.mean(gains[500:]) <= high


def test_a_rising_ratio_is_followed_without_a_lag():
    rising = [1.0, 1.1, 1.3, 1.7, 2.5, 4.1]
    found, gains = follow(NoiseMatchingFilter(), rising)
    assert gains[-1] == pytest.approx(1.0) and found.ratio.mean == pytest.approx(4.1)


def test_before_three_ratios_it_is_the_random_walk_filter():
    walk = RandomWalkFilter()
    belief = walk.start_belief(1.0)
    for z in (1.0, 2.0):
        belief, _ = walk.correct(walk.predict(belief, None), z, None)
    assert follow(NoiseMatchingFilter(), [1.0, 2.0])[0].ratio == belief


def test_the_policy_takes_it_for_a_ratio_alone():
    assert isinstance(NaviCache(process_noise="estimated").build_filter(), NoiseMatchingFilter)
    with pytest.raises(ValueError, match=r'set state="ratio" with it'):
        NaviCache(process_noise="estimated", state="ratio_and_drift")
    with pytest.raises(ValueError, match="measurement_noise is estimated"):
        NaviCache(measurement_noise="estimated")
