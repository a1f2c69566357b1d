"""What is believed of the course of each difference."""

import math

import pytest
from tests.engine.toys.parts import WATCHES_NOTHING, batch, moment, recorder, scheme, taught, told_apart

from navicache.engine.decide.decider import StreamDecider
from navicache.engine.decide.signal_history import SignalHistory
from navicache.engine.run.difference_predictors import DifferencePredictors
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.policies import DeadReckoning, PolynomialExtrapolation

# The newest move took back all of the one before, and as far: the best damping is 0. Equal moves: it is 1.
BACK, ON = ((1.0, -1.0), (-1.0, 1.0)), ((1.0, 1.0), (1.0, 1.0))


def decider(samples=1):
    of = scheme(predictor=PolynomialExtrapolation(1))
    made = StreamDecider(of, recorder(of), batch(samples), WATCHES_NOTHING, SignalHistory(frozenset()))
    made.decide_samples(moment(4), "cond", 1, True)
    return made


def test_every_difference_has_a_state_of_its_own():
    courses = DifferencePredictors(DeadReckoning(), batch())
    courses.learn_outcome("uncond", 0, taught(4, inner_products=BACK, gaps=(1, 1)))
    courses.learn_outcome((0, 1), 0, taught(4, inner_products=ON, gaps=(1, 1)))
    assert courses.get_or_create_states("uncond")[0].damping.mean < 0.5
    assert courses.get_or_create_states((0, 1))[0].damping.mean == pytest.approx(1.0)
    assert courses.get_or_create_states("third")[0].damping is None, "nothing measured"


def test_what_is_not_finite_teaches_nothing():
    courses = DifferencePredictors(DeadReckoning(), batch())
    courses.learn_outcome("uncond", 0, taught(4, inner_products=((math.nan, 1.0), (1.0, 1.0)), gaps=(1, 1)))
    assert courses.get_or_create_states("uncond")[0].damping is None


def test_samples_that_are_told_apart_have_what_all_shared():
    courses = DifferencePredictors(DeadReckoning(), BatchSamples(2, is_layout_known=False))
    courses.learn_outcome("uncond", 0, taught(4, inner_products=BACK, gaps=(1, 1)))
    told_apart(courses.batch)
    courses.learn_outcome("uncond", 1, taught(5, inner_products=ON, gaps=(1, 1)))
    before, later = (state.damping.mean for state in courses.get_or_create_states("uncond"))
    assert before < later
    assert len(courses.get_or_create_states("late")) == 2


def test_weights_go_by_the_references_of_each_sample():
    """A line through steps 2 and 1 gives step 4 as 3 and -2 of them; through 2 and 0 as 2 and -1."""
    courses = DifferencePredictors(PolynomialExtrapolation(1), batch(2))
    weights = courses.compute_weights("uncond", decider(2), [(2, 1), (2, 0)])
    assert [each.references for each in weights] == [((0, 3), (0, -2)), ((0, 2), (0, -1))]
