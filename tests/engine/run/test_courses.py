"""What is believed of the course of each difference."""

import math

import pytest
from tests.engine.toys.parts import WATCHES_NOTHING, moment, recorder, scheme, taught

from navicache.engine.decide.decider import Decider
from navicache.engine.decide.signal import Watch
from navicache.engine.run.courses import Courses
from navicache.policies import DeadReckoning, PolynomialExtrapolation

# The newest move took back all of the one before, and as far: the best damping is 0. Equal moves: it is 1.
BACK, ON = ((1.0, -1.0), (-1.0, 1.0)), ((1.0, 1.0), (1.0, 1.0))


def decider(samples=1):
    of = scheme(predictor=PolynomialExtrapolation(1))
    made = Decider(of, recorder(of), WATCHES_NOTHING, Watch(frozenset()), samples)
    made.decide(moment(4), "cond", tuple((sample,) for sample in range(samples)), 1, True)
    return made


def test_every_difference_has_a_state_of_its_own():
    courses = Courses(DeadReckoning())
    courses.learn("uncond", 0, taught(4, products=BACK, gaps=(1, 1)))
    courses.learn((0, 1), 0, taught(4, products=ON, gaps=(1, 1)))
    assert courses.of("uncond")[0].damping.mean < 0.5
    assert courses.of((0, 1))[0].damping.mean == pytest.approx(1.0)
    assert courses.of("third")[0].damping is None, "nothing measured"


def test_what_is_not_finite_teaches_nothing():
    courses = Courses(DeadReckoning())
    courses.learn("uncond", 0, taught(4, products=((math.nan, 1.0), (1.0, 1.0)), gaps=(1, 1)))
    assert courses.of("uncond")[0].damping is None


def test_split_gives_every_sample_what_all_shared():
    courses = Courses(DeadReckoning())
    courses.learn("uncond", 0, taught(4, products=BACK, gaps=(1, 1)))
    courses.split(2)
    courses.learn("uncond", 1, taught(5, products=ON, gaps=(1, 1)))
    before, later = (state.damping.mean for state in courses.of("uncond"))
    assert before < later
    assert len(courses.of("late")) == 2


def test_weights_go_by_the_references_of_each_sample():
    """A line through steps 2 and 1 gives step 4 as 3 and -2 of them; through 2 and 0 as 2 and -1."""
    courses = Courses(PolynomialExtrapolation(1), samples=2)
    weights = courses.weights("uncond", decider(2), [(2, 1), (2, 0)])
    assert [each.references for each in weights] == [((0, 3), (0, -2)), ((0, 2), (0, -1))]
