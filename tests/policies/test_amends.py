"""When a predictor makes amends, and by how much."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navicache.estimator import Gaussian
from navicache.policies import DeadReckoning, Outcome, Step
from navicache.policies.dead_reckoning import DeadReckoningState, compute_mean_gap_error

HALF = Gaussian(0.5, 0.1)


@pytest.mark.parametrize(
    ("state", "gaps", "missed"),
    [
        (DeadReckoningState(HALF), (1, 2), 9 / 24),
        (DeadReckoningState(Gaussian(1.2, 0.1)), (2, 3), 14 / 36),
        (DeadReckoningState(HALF), (2, 2), 0.0),
        (DeadReckoningState(HALF), (5, 3), 0.0),
        (DeadReckoningState(Gaussian(0.2, 0.1)), (1, 2), 0.4 * 9 / 24),
        (DeadReckoningState(Gaussian(0.0, 0.1)), (1, 2), 0.0),
        (DeadReckoningState(HALF, Gaussian(0.8, 0.1)), (1, 2), 9 / 24),
        (DeadReckoningState(HALF, Gaussian(-0.25, 0.1)), (1, 2), 0.75 * 9 / 24),
        (DeadReckoningState(HALF, Gaussian(-1.0, 0.1)), (1, 2), 0.0),
        (DeadReckoningState(HALF), (2, 1), 0.0),
        (DeadReckoningState(), (1, 2), 9 / 24),
        (DeadReckoningState(HALF), (1,), 0.0),
    ],
    ids=[
        "first of one",
        "last of two",
        "as many as were off",
        "and no more",
        "weak",
        "none",
        "misses repeat",
        "a quarter comes back by itself",
        "all comes back by itself",
        "no reuse before",
        "not measured",
        "one reference",
    ],
)
def test_amends_where_steps_before_the_newest_compute_were_predicted(state, gaps, missed):
    weights = DeadReckoning(amends=True).weights(state, Step(index=9, local_index=9, gaps=gaps))
    assert weights.error_weight == pytest.approx(missed)
    assert weights._replace(error_weight=0.0) == DeadReckoning().weights(state, Step(index=9, local_index=9, gaps=gaps))
    assert DeadReckoning(amends=True).needs_last_error
    assert not DeadReckoning().needs_last_error


@given(gap=st.integers(2, 40), bend=st.floats(0.1, 10), slope=st.floats(-10, 10), level=st.floats(-10, 10))
def test_the_mean_miss_of_a_line_along_a_parabola(gap, bend, slope, level):
    steps = np.arange(-gap, gap + 1)
    truth = level + slope * steps + bend * steps**2
    line = level + (level - truth[0]) / gap * steps
    missed = (truth - line)[gap + 1 :]  # after the newer of the two points it stands on
    assert missed[:-1].mean() == pytest.approx(compute_mean_gap_error(gap) * missed[-1])


def test_repeats_are_followed_and_those_beyond_one_count_as_one():
    exact = DeadReckoning(measurement_noise=0.0)
    seen = [
        exact.learn(DeadReckoningState(), Outcome(index=9, local_index=9, error_correlation=value))
        for value in (0.4, -7.0, None)
    ]
    assert [state.error_correlation and pytest.approx(state.error_correlation.mean, abs=1e-6) for state in seen] == [
        0.4,
        -1.0,
        None,
    ]
