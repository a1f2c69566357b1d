"""A speed-up is a schedule: met exactly, dense at both ends, the same for every video."""

import itertools

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies.computed import computed_steps

from navicache.policies import Inertial
from navicache.policies.budget import DEFAULT_TOTAL_STEPS, build_schedule


@limits(deadline=None)
@given(
    total=st.integers(8, 200),
    speedup=st.floats(1.0, 6.0),
    align_steps=st.integers(2, 5),
    values=st.lists(st.floats(0.0, 10.0), min_size=200, max_size=200),
)
def test_the_budget_is_met_whatever_the_errors_do(total, speedup, align_steps, values):
    policy = Inertial(speedup=speedup, align_steps=align_steps)
    steps = computed_steps(policy, total, errors=lambda index: values[index])
    assert len(steps) == max(round(total / speedup), align_steps + 1)
    assert steps[:align_steps] == list(range(align_steps))
    assert steps[-1] == total - 1


@given(total=st.integers(8, 200), budget=st.integers(0, 220))
def test_no_gap_is_longer_than_one_further_inside(total, budget):
    """The distances grow towards the middle, but for the rounding to whole steps."""
    steps = sorted(build_schedule(total, budget, 3))
    gaps = [later - earlier for earlier, later in itertools.pairwise(steps)][2:]
    widest = gaps.index(max(gaps)) if gaps else 0
    rising, falling = gaps[:widest], gaps[widest:]
    assert all(later >= earlier - 1 for earlier, later in itertools.pairwise(rising))
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(falling))


def test_both_ends_are_denser_than_the_middle():
    steps = computed_steps(Inertial(speedup=2.5), 50)
    tenths = [sum(start <= step < start + 10 for step in steps) for start in range(0, 50, 10)]
    assert tenths[0] > tenths[1] >= tenths[2] <= tenths[3] < tenths[4]
    assert sum(tenths) == 20


def test_half_of_a_short_run_is_not_spent_at_its_ends():
    """A long run computes all of its first fifth; in a short one that would leave gaps of a fifth of the run."""
    assert computed_steps(Inertial(speedup=2.0), 20) == [0, 1, 2, 3, 5, 8, 11, 14, 17, 19]
    assert computed_steps(Inertial(speedup=2.0), 50)[:11] == list(range(11))


def test_a_speedup_of_one_computes_everything():
    assert computed_steps(Inertial(speedup=1.0), 20) == list(range(20))


def test_a_speedup_too_large_leaves_the_alignment_and_the_last_step():
    assert computed_steps(Inertial(speedup=100.0), 50) == [0, 1, 2, 49]


def test_an_engine_that_joins_in_mid_run_has_its_share():
    steps = computed_steps(Inertial(speedup=2.0), 50, start=20)
    assert len(steps) == 15
    assert steps[:2] == [20, 21]
    assert steps[-1] == 49


@pytest.mark.parametrize("speedup", [1.5, 2.0, 3.0])
def test_an_unknown_number_of_steps_is_taken_for_the_usual_one_and_goes_on_evenly(speedup):
    steps = computed_steps(Inertial(speedup=speedup), 3 * DEFAULT_TOTAL_STEPS, told=False)
    first = [step for step in steps if step < DEFAULT_TOTAL_STEPS]
    assert first == computed_steps(Inertial(speedup=speedup), DEFAULT_TOTAL_STEPS)
    assert len(steps) - len(first) == pytest.approx(2 * DEFAULT_TOTAL_STEPS / speedup, abs=1)
