"""The best damping against least squares by numpy, and by mental arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from numpy.linalg import lstsq, norm

from navicache.estimator import fit_damping, compute_extrapolation_factor

gap = st.integers(1, 9)
seeds = st.integers(0, 2**32 - 1)


def gram(moves) -> list[list[float]]:
    """Mean products, as the engine measures them."""
    return [[float(np.mean(a * b)) for b in moves] for a in moves]


def random_moves(seed: int, count: int, width: int = 7):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, width)) * 10 ** rng.uniform(-3, 3, size=(count, 1))


@limits(deadline=None)
@given(seed=seeds, gaps=st.tuples(gap, gap))
def test_best_damping_is_least_squares(seed, gaps):
    m0, m1 = moves = random_moves(seed, 2)
    b1 = m1 / gaps[1] * gaps[0]
    (expected,) = lstsq(b1[:, None], m0, rcond=None)[0]
    assert fit_damping(gram(moves), gaps) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@limits(deadline=None)
@given(seed=seeds, gaps=st.tuples(gap, gap))
def test_no_other_share_would_have_been_better(seed, gaps):
    """Nudged either way, the error only grows."""
    m0, m1 = moves = random_moves(seed, 2)
    b1 = m1 / gaps[1] * gaps[0]
    best = fit_damping(gram(moves), gaps)
    assert best is not None
    least, nudge = norm(m0 - best * b1), 0.01 * norm(m0) / norm(b1)
    for share in (best - nudge, best + nudge):
        assert norm(m0 - share * b1) >= least * (1 - 1e-9)


@given(gaps=st.tuples(gap, gap), speed=st.floats(0.1, 10))
def test_on_a_line_all_of_the_slope(gaps, speed):
    moves = [speed * np.array([1.0, -2.0, 0.5]) * g for g in gaps]
    assert fit_damping(gram(moves), gaps) == pytest.approx(1.0)


@pytest.mark.parametrize("gaps", [(1, 1), (3, 1), (1, 2)])
def test_nothing_moved(gaps):
    still, moving = np.zeros(3), np.ones(3)
    for first in (still, moving):
        assert fit_damping(gram([first, still]), gaps) is None
    assert fit_damping(gram([still, moving]), gaps) == 0.0


@pytest.mark.parametrize(
    ("moves", "gaps", "damping"),
    [
        ((2.0, 2.0), (1, 1), 1.0),
        ((1.0, 2.0), (1, 1), 0.5),
        ((-2.0, 2.0), (1, 1), -1.0),
        ((6.0, 2.0), (3, 1), 1.0),  # three steps at two a step
        ((2.0, 6.0), (1, 3), 1.0),
        ((3.0, 6.0), (2, 3), 0.75),  # two steps at two a step would be 4
    ],
)
def test_damping_by_hand(moves, gaps, damping):
    assert fit_damping(gram([np.array([m]) for m in moves]), gaps) == pytest.approx(damping)


@pytest.mark.parametrize(("gaps", "reach"), [((2, 4), 0.5), ((1, 1), 1.0), ((3, 2), 1.5), ((3, 1, 7), 3.0)])
def test_reach_by_hand(gaps, reach):
    assert compute_extrapolation_factor(gaps) == reach
