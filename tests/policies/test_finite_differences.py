"""TaylorSeer's differences against the recursion on numbers, and against Lagrange where the two must agree."""

import math
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from navicache.policies import FiniteDifferences, PolynomialExtrapolation, Step

gaps_of = st.lists(st.integers(1, 6), min_size=1, max_size=7)


def recursion(places: list[int], outputs: list[float], at: int, degree: int, after: int) -> float:
    """F_k kept from compute to compute; none are taken at a step up to `after`."""
    factors: list[float] = []
    last = 0
    for place, output in zip(places, outputs, strict=True):
        new = [output]
        if place > after:
            for k in range(min(degree, len(factors))):
                new.append((new[k] - factors[k]) / (place - last))
        factors, last = new, place
    return sum(f * (at - last) ** k / math.factorial(k) for k, f in enumerate(factors))


def weighted(predictor: FiniteDifferences, places: list[int], outputs: list[float], at: int) -> float:
    newest_first = places[::-1][: predictor.history_length]
    gaps = tuple(int(gap) for gap in -np.diff([at, *newest_first]))
    weights = predictor.weights(None, Step(index=at, local_index=at, gaps=gaps))
    assert len(weights.references) == len(newest_first)
    values = [of_y for _, of_y in weights.references]
    assert sum(values) == pytest.approx(1.0), "a constant is forecast as it is"
    return sum(w * y for w, y in zip(values, outputs[::-1], strict=False))


@limits(deadline=None)
@given(gaps_of, st.integers(1, 5), st.integers(0, 5), st.integers(0, 2), st.randoms(use_true_random=False))
def test_as_the_recursion(gaps, ahead, degree, after, draw):
    places = list(accumulate(gaps[:-1], initial=0))
    outputs = [draw.uniform(-1, 1) for _ in places]
    at = places[-1] + ahead
    ours = weighted(FiniteDifferences(degree, ignored_until_step=after), places, outputs, at)
    assert ours == pytest.approx(recursion(places, outputs, at, degree, after), rel=1e-9, abs=1e-9)


@limits(deadline=None)
@given(gaps_of, st.integers(1, 5), st.integers(0, 1))
def test_up_to_a_line_it_is_taylor(gaps, ahead, degree):
    step = Step(index=50, local_index=50, gaps=(ahead, *gaps)[: degree + 1])
    ours, lagrange = FiniteDifferences(degree).weights(None, step), PolynomialExtrapolation(degree).weights(None, step)
    assert [w for _, w in ours.references] == pytest.approx([w for _, w in lagrange.references])


def test_a_parabola_is_not():
    step = Step(index=9, local_index=9, gaps=(1, 1, 1))
    assert [w for _, w in FiniteDifferences(2).weights(None, step).references] == [2.5, -2.0, 0.5]
    assert [w for _, w in PolynomialExtrapolation(2).weights(None, step).references] == [3.0, -3.0, 1.0]


@limits(deadline=None)
@given(gaps_of, st.integers(0, 4))
def test_of_residuals(gaps, degree):
    """x_i plus the same forecast of y - x: what the outputs weigh, their inputs weigh against it."""
    step = Step(index=60, local_index=60, gaps=tuple(gaps[: degree + 1]))
    outputs, residuals = (FiniteDifferences(degree, target=of).weights(None, step) for of in ("output", "residual"))
    assert (outputs.input, residuals.input) == (0.0, 1.0)
    assert [w for _, w in residuals.references] == [w for _, w in outputs.references]
    assert all(of_x == -of_y for of_x, of_y in residuals.references)
    assert FiniteDifferences(degree, target="residual").needs_past_inputs == (degree > 0)
    assert not FiniteDifferences(degree).needs_past_inputs


def test_before_the_first_compute():
    step = Step(index=0, local_index=0)
    assert FiniteDifferences(2).weights(None, step).references == ((0.0, 1.0),)
    assert FiniteDifferences(2, target="residual").weights(None, step).references == ((-1.0, 1.0),)
