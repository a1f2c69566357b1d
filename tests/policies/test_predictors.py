"""Taylor goes on with the polynomial through the newest outputs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.policies.courses import NOBODY, at, gap_lists, kept_at, polynomial
from tests.policies.drive import apply

from navicache.policies import PolynomialExtrapolation


@given(gaps=gap_lists, seed=st.integers(0, 99), degree=st.integers(0, 3))
def test_taylor_goes_on_with_a_polynomial_of_its_degree(gaps, seed, degree):
    course, predictor = polynomial(degree, seed), PolynomialExtrapolation(degree)
    assert predictor.history_length == degree + 1
    guess = apply(predictor.weights(None, at(gaps)), NOBODY, kept_at(course, gaps))
    scale = sum(abs(w) for _, w in predictor.weights(None, at(gaps)).references)
    assert guess == pytest.approx(course(50), abs=1e-11 * scale * 1000)


@given(gaps=gap_lists, degree=st.integers(0, 3))
def test_taylor_weights_add_up_to_one(gaps, degree):
    weights = PolynomialExtrapolation(degree).weights(None, at(gaps))
    assert weights.input == 0
    assert [of_x for of_x, _ in weights.references] == [0.0] * (degree + 1)
    size = sum(abs(w) for _, w in weights.references)
    assert sum(w for _, w in weights.references) == pytest.approx(1.0, abs=1e-12 * size)


def test_taylor_by_hand():
    def outputs(degree: int, *gaps: int) -> list[float]:
        return [w for _, w in PolynomialExtrapolation(degree).weights(None, at(gaps)).references]

    assert outputs(0, 3, 1) == [1]
    assert outputs(1, 1, 1) == [2, -1]
    assert outputs(1, 3, 2) == [2.5, -1.5]
    assert outputs(2, 1, 1, 1) == [3, -3, 1]
    assert outputs(3, 1, 1, 1, 1) == [4, -6, 4, -1]
    assert outputs(2, 1, 1) == [2, -1], "of a parabola two points only: a line"
    assert outputs(2, 4) == [1], "one point: hold it"
