"""The best dampings against least squares by numpy, and by mental arithmetic."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import settings as limits
from hypothesis import strategies as st
from numpy.linalg import lstsq, norm

from navicache.estimator import best_curve, best_damping, curve_reaches, slope_reach
from navicache.estimator.calibration import RIDGE

gap = st.integers(1, 9)
seeds = st.integers(0, 2**32 - 1)


def gram(moves) -> list[list[float]]:
    """Mean products, as the engine measures them."""
    return [[float(np.mean(a * b)) for b in moves] for a in moves]


def random_moves(seed: int, count: int, width: int = 7):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, width)) * 10 ** rng.uniform(-3, 3, size=(count, 1))


def bases(moves, gaps):
    """b_1 and b_2 as the module's docstring says."""
    slope, slope_before = moves[1] / gaps[1], moves[2] / gaps[2]
    return slope * gaps[0], (slope - slope_before) * gaps[0] ** 2 / gaps[1]


def ridged_least_squares(m0, b1, b2):
    """Least squares with one more equation, which pulls the second share to zero."""
    pull = np.array([[0.0, np.sqrt(RIDGE - 1) * norm(b2)]])
    return lstsq(np.vstack([np.stack([b1, b2], 1), pull]), np.append(m0, 0.0), rcond=None)[0]


@limits(deadline=None)
@given(seed=seeds, gaps=st.tuples(gap, gap))
def test_best_damping_is_least_squares(seed, gaps):
    m0, m1 = moves = random_moves(seed, 2)
    b1 = m1 / gaps[1] * gaps[0]
    (expected,) = lstsq(b1[:, None], m0, rcond=None)[0]
    assert best_damping(gram(moves), gaps) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@limits(deadline=None)
@given(seed=seeds, gaps=st.tuples(gap, gap, gap))
def test_best_curve_is_least_squares_with_a_ridge(seed, gaps):
    moves = random_moves(seed, 3)
    b1, b2 = bases(moves, gaps)
    assume(abs(b1 @ b2) < 0.999 * norm(b1) * norm(b2))
    m0 = moves[0]
    shares = best_curve(gram(moves), gaps)
    assert shares is not None
    guess, expected = shares[0] * b1 + shares[1] * b2, ridged_least_squares(m0, b1, b2)
    assert norm(guess - expected @ np.stack([b1, b2])) <= 1e-7 * norm(m0)


@limits(deadline=None)
@given(seed=seeds, gaps=st.tuples(gap, gap, gap), second=st.floats(-1, 1))
def test_no_other_pair_would_have_been_better(seed, gaps, second):
    """Nudged either way, error and ridge together only grow."""
    moves = random_moves(seed, 3)
    b1, b2 = bases(moves, gaps)
    assume(abs(b1 @ b2) < 0.999 * norm(b1) * norm(b2))
    best = best_curve(gram(moves), gaps)
    assert best is not None

    def cost(a: float, c: float) -> float:
        return norm(moves[0] - a * b1 - c * b2) ** 2 + (RIDGE - 1) * c**2 * norm(b2) ** 2

    size = norm(moves[0])
    least = cost(*best)
    for da, dc in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01), (0.01 * second, 0.01)):
        assert cost(best[0] + da * size / norm(b1), best[1] + dc * size / norm(b2)) >= least * (1 - 1e-9)


@given(gaps=st.tuples(gap, gap, gap), speed=st.floats(0.1, 10))
def test_on_a_line_all_of_the_slope_and_no_curve(gaps, speed):
    direction = np.array([1.0, -2.0, 0.5])
    moves = [speed * direction * g for g in gaps]
    assert best_damping(gram(moves), gaps) == pytest.approx(1.0)
    both = best_curve(gram(moves), gaps)  # the second basis is nothing, or what rounding left of it
    assert both is None or both[0] == pytest.approx(1.0)


@given(gaps=st.tuples(gap, gap, gap))
def test_moves_in_line_at_another_speed_do_not_divide_by_nothing(gaps):
    """Both bases point the same way: only the ridge tells them apart."""
    direction = np.array([3.0, 4.0])
    moves = [direction * g * speed for g, speed in zip(gaps, (1.0, 2.0, 4.0), strict=True)]
    best = best_curve(gram(moves), gaps)
    assert best is not None
    assert max(map(abs, best)) < 10
    (b1, b2), expected = bases(moves, gaps), moves[0]
    assert best[0] * b1 + best[1] * b2 == pytest.approx(expected)


@pytest.mark.parametrize("gaps", [(1, 1, 1), (3, 1, 2)])
def test_nothing_moved(gaps):
    still, moving = np.zeros(3), np.ones(3)
    for first in (still, moving):
        assert best_damping(gram([first, still]), gaps) is None
        assert best_curve(gram([first, still, still]), gaps) is None
    assert best_damping(gram([still, moving]), gaps) == 0.0


def test_where_both_bases_are_one_the_slope_takes_it_all():
    """m_2 = 0: the change of the slope is the slope, and only the second share pays the ridge."""
    moves = [np.array([2.0]), np.array([1.0]), np.array([0.0])]
    first, second = best_curve(gram(moves), (1, 1, 1))
    assert first == pytest.approx(2.0)
    assert second == pytest.approx(0.0)


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
    assert best_damping(gram([np.array([m]) for m in moves]), gaps) == pytest.approx(damping)


def test_curve_by_hand():
    """Slope along one axis, its change along the other: each share is read off by itself, the second less the ridge."""
    moves = [np.array([3.0, 5.0]), np.array([2.0, 0.0]), np.array([2.0, -4.0])]
    first, second = best_curve(gram(moves), (1, 1, 1))
    assert first == pytest.approx(3 / 2)  # b_1 = (2, 0)
    assert second == pytest.approx(5 / 4 / 1.02)  # b_2 = (0, 4)


def test_a_parabola_is_slope_and_curve():
    """y = n^2 along one axis and n along another, at n = 0, 1, 2, 3: moves of 5, 3, 1; b_1 = 3, b_2 = 2: 5 = 3 + 2."""
    moves = [np.array([5.0, 1.0]), np.array([3.0, 1.0]), np.array([1.0, 1.0])]
    first, second = best_curve(gram(moves), (1, 1, 1))
    assert (first, second) == (pytest.approx(1.0, abs=0.2), pytest.approx(1.0, abs=0.3))


def test_reaches_by_hand():
    assert slope_reach((2, 4)) == 0.5
    assert curve_reaches((1, 1, 1)) == (1.0, -1.0)
    assert curve_reaches((2, 4, 1)) == (0.25, -1.0)  # g_0^2 / g_1 = 1, over g_1 and over g_2
