"""The schedule by itself: a list is taken at its word, and a speed-up is that of `inertial`."""

import pytest
from tests.policies.computed import computed_steps

from navicache.policies import Inertial, Schedule


def test_the_schedule_without_a_list_is_the_same():
    assert computed_steps(Schedule(speedup=3.0), 50) == computed_steps(Inertial(speedup=3.0), 50)


def test_a_list_is_taken_at_its_word():
    assert computed_steps(Schedule(at=(0, 3, 4, 11)), 20) == [0, 3, 4, 11]
    assert computed_steps(Schedule(at=[5]), 20) == [0, 5], "the first has nothing to be predicted from"


@pytest.mark.parametrize("at", [(), "0, 1", (0, -1), (0, 1.5), (True,), 7])
def test_what_is_no_list_of_steps(at):
    with pytest.raises(ValueError, match="at must be a list of numbers"):
        Schedule(at=at)


def test_a_list_and_a_speedup_are_one_too_many():
    with pytest.raises(ValueError, match="give one of them"):
        Schedule(at=(0, 1), speedup=2.0)
