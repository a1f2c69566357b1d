"""Dead reckoning: its weights by hand, what a compute teaches it, and what cannot."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies.courses import NOBODY, at, gap_lists, kept_at, polynomial
from tests.policies.doubles import Told
from tests.policies.drive import apply

from navicache.estimator import Gaussian
from navicache.policies import DeadReckoning, Outcome, OutputHold, PolynomialExtrapolation, find_nonfinite_fields
from navicache.policies.dead_reckoning import INITIAL_DAMPING, MAX_DAMPING, MIN_DAMPING, DeadReckoningState
from navicache.policies.guards import FiniteGuard
from navicache.policies.predictors import OUTPUT_HOLD_WEIGHTS


def lesson(*products, gaps=(1, 1), **more) -> Outcome:
    """A table of products."""
    return Outcome(index=9, local_index=9, gap=gaps[0], gaps=gaps, inner_products=products, **more)


def moves(*moves, gaps=(1, 1)) -> Outcome:
    """What was learnt from these moves, newest first."""
    rows = [np.atleast_1d(np.array(move, float)) for move in moves]
    return lesson(*(tuple(float((a * b).mean()) for b in rows) for a in rows), gaps=gaps)


@pytest.mark.parametrize(
    "predictor", [DeadReckoning(), DeadReckoning(amends=True), PolynomialExtrapolation(1), PolynomialExtrapolation(3)]
)
def test_before_two_computes_the_output_is_held(predictor):
    state = predictor.init()
    assert predictor.weights(state, at(())) == OUTPUT_HOLD_WEIGHTS
    assert predictor.weights(state, at((3,))) == OUTPUT_HOLD_WEIGHTS
    assert predictor.weights(state, at((3, 1))) != OUTPUT_HOLD_WEIGHTS
    assert predictor.learn(state, Outcome(index=1, local_index=1, gap=1, gaps=(1,))) == state


@given(gaps=gap_lists, seed=st.integers(0, 99))
def test_undamped_it_goes_on_with_a_line(gaps, seed):
    course = polynomial(1, seed)
    weights = DeadReckoning().weights(DeadReckoningState(Gaussian(1.0, 0.1)), at(gaps[:2]))
    assert apply(weights, NOBODY, kept_at(course, gaps[:2])) == pytest.approx(course(50), abs=1e-9)
    assert [w for _, w in weights.references] == pytest.approx(
        [w for _, w in PolynomialExtrapolation(1).weights(None, at(gaps)).references]
    )


@given(gaps=gap_lists, damping=st.floats(0, MAX_DAMPING))
def test_damped_it_goes_that_share_of_the_way(gaps, damping):
    course = polynomial(1)
    weights = DeadReckoning().weights(DeadReckoningState(Gaussian(damping, 0.1)), at(gaps[:2]))
    newest = course(50 - gaps[0])
    assert apply(weights, NOBODY, kept_at(course, gaps[:2])) == pytest.approx(newest + damping * (course(50) - newest))


@pytest.mark.parametrize(("gaps", "reach"), [((1, 1), -0.4), ((5, 1), -0.4), ((1, 2), -0.2), ((4, 2), -0.4)])
def test_below_zero_it_stays_between_the_two_newest(gaps, reach):
    """A swing does not grow with the distance, and no amends are made for it."""
    state = DeadReckoningState(Gaussian(-0.4, 0.1), Gaussian(0.0, 0.1))
    assert DeadReckoning(amends=True).weights(state, at(gaps)) == (0.0, ((0.0, 1 + reach), (0.0, -reach)), 0.0)


def test_weights_by_hand():
    """The slope is (y_j - y_k) / 2; three steps of it, halved, are 0.75 of the move."""
    assert DeadReckoning().weights(DeadReckoningState(Gaussian(0.5, 0.1)), at((3, 2))).references == (
        (0.0, 1.75),
        (0.0, -0.75),
    )


@given(gaps=gap_lists, damping=st.floats(0, MAX_DAMPING), amends=st.booleans())
def test_outputs_alone_count_and_their_weights_add_up_to_one(gaps, damping, amends):
    weights = DeadReckoning(amends=amends).weights(DeadReckoningState(Gaussian(damping, 0.1)), at(gaps[:2]))
    assert weights.input == 0
    assert [of_x for of_x, _ in weights.references] == [0.0, 0.0]
    assert sum(w for _, w in weights.references) == pytest.approx(1.0, abs=1e-12 * gaps[0])


def test_one_lesson_by_hand():
    """P = 1 + 0.05, K = 1.05 / 1.10: from 1 that share of the way to the measured 0.5."""
    state = DeadReckoning().learn(DeadReckoningState(), moves(1.0, 2.0))
    gain = 1.05 / (1.10 + 1e-8)
    assert state.damping == pytest.approx((INITIAL_DAMPING + gain * (0.5 - INITIAL_DAMPING), gain * 0.05), rel=1e-6)
    second = DeadReckoning().learn(state, moves(2.0, 2.0))
    prior = state.damping.variance + 0.05
    gain = prior / (prior + 0.05)
    mean = state.damping.mean
    assert second.damping.mean == pytest.approx(mean + gain * (1 - mean), rel=1e-6)


@pytest.mark.parametrize(
    ("newest", "gaps", "seen"),
    [(9.0, (1, 1), MAX_DAMPING), (-9.0, (1, 1), MIN_DAMPING), (2.0, (2, 1), 1.0), (1.0, (1, 2), MAX_DAMPING)],
)
def test_what_is_measured_is_clamped_and_knows_its_gaps(newest, gaps, seen):
    """The move before was 1: with gaps of 2 and 1 the slope reaches 2, with 1 and 2 it reaches one half."""
    exact = DeadReckoning(measurement_noise=0.0)
    state = exact.learn(DeadReckoningState(), moves(newest, 1.0, gaps=gaps))
    assert state.damping.mean == pytest.approx(seen, abs=1e-6)


def test_it_learns_from_products():
    assert DeadReckoning().needs_inner_products is True
    assert PolynomialExtrapolation(1).needs_inner_products is OutputHold().needs_inner_products is False


def test_nothing_moved_teaches_nothing():
    predictor, still = DeadReckoning(), moves(0.0, 0.0)
    assert predictor.learn(DeadReckoningState(), still) == DeadReckoningState()
    assert predictor.weights(DeadReckoningState(), at((1, 1))).references == ((0.0, 2.0), (0.0, -1.0)), (
        "all of the slope at first"
    )
    known = predictor.learn(DeadReckoningState(), moves(0.5, 1.0))
    assert predictor.learn(known, still) == known


def test_states_are_never_changed():
    predictor = DeadReckoning()
    rng = np.random.default_rng(0)
    first = predictor.learn(predictor.init(), moves(*rng.normal(size=(2, 2))))
    before = repr(first)
    second = predictor.learn(first, moves(*rng.normal(size=(2, 2)), gaps=(2, 2)))
    assert repr(first) == before != repr(second)


@pytest.mark.parametrize("noise", ["process_noise", "measurement_noise"])
@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
def test_noises_that_are_no_variances_are_refused_at_once(noise, value):
    with pytest.raises(ValueError, match="give a finite number that is not negative"):
        DeadReckoning(**{noise: value})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [(0, 0), (0, 1), (1, 1)])
def test_broken_products_are_named_and_kept_away(bad, place):
    table = [[1.0, 0.5], [0.5, 1.0]]
    table[place[0]][place[1]] = bad
    outcome = lesson(*map(tuple, table), output_magnitude=1.0)
    assert find_nonfinite_fields(outcome) == ("inner_products",)

    @dataclass(frozen=True)
    class Asked(Told):
        def learn(self, state, outcome):
            return outcome

    assert FiniteGuard(Asked()).learn(None, outcome) == outcome._replace(inner_products=None)
    assert find_nonfinite_fields(lesson((1.0, 1.0), (1.0, 1.0))) == ()


def test_a_lesson_without_products_teaches_nothing():
    predictor = DeadReckoning()
    state = predictor.learn(DeadReckoningState(), moves(1.0, 2.0))
    assert predictor.learn(state, moves(1.0, 2.0)._replace(inner_products=None)) == state


@limits(deadline=None)
@given(
    entries=st.lists(st.floats(-1e30, 1e30), min_size=3, max_size=3),
    gaps=st.tuples(*[st.integers(1, 50)] * 2),
    amends=st.booleans(),
    repeat=st.none() | st.floats(-1e30, 1e30),
)
def test_any_finite_products_leave_finite_weights(entries, gaps, amends, repeat):
    a, b, c = entries
    predictor = DeadReckoning(amends=amends)
    state = predictor.learn(DeadReckoningState(), lesson((a, b), (b, c), gaps=gaps, error_correlation=repeat))
    state = predictor.learn(state, lesson((c, b), (b, a), gaps=gaps[::-1]))
    assert state.damping is None or MIN_DAMPING <= state.damping.mean <= MAX_DAMPING
    assert 0 <= predictor.compute_lasting_error_share(state) <= 1
    weights = predictor.weights(state, at(gaps))
    assert all(math.isfinite(w) for _, w in weights.references)
    assert 0 <= weights.error_weight <= (5 / 12 if amends else 0)
    assert sum(w for _, w in weights.references) == pytest.approx(1.0, abs=1e-9 * gaps[0] ** 2)
