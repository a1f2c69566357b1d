"""A speed-up is a schedule: met exactly, dense at both ends, the same for every video."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from navicache.policies import Inertial, Outcome, Schedule, Step
from navicache.policies.budget import USUAL_STEPS, scheduled


def computed_steps(policy, total, told=True, start=0, errors=lambda index: 0.01):
    """Drive the guarded gate through the steps from `start` on; predictions err by errors(step)."""
    (scheme,) = policy.schemes()
    state, last, steps = scheme.gate.init(), None, []
    for index in range(start, total):
        own, gap = index - start, 0 if last is None else index - last
        size, change = (None if last is None else 1.0), (None if own == 0 else 0.1)
        known = {"index": index, "own_index": own, "total": total if told else None}
        verdict, state = scheme.gate.decide(state, Step(**known, since_seen=change, output_size=size, gap=gap))
        if verdict.compute:
            error = None if last is None else errors(index)
            outcome = Outcome(**known, gap=gap, output_size=1.0, prediction_error=error)
            state, last = scheme.gate.learn(state, outcome), index
            steps.append(index)
    return steps


@settings(deadline=None)
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
    steps = sorted(scheduled(total, budget, 3))
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
    steps = computed_steps(Inertial(speedup=speedup), 3 * USUAL_STEPS, told=False)
    first = [step for step in steps if step < USUAL_STEPS]
    assert first == computed_steps(Inertial(speedup=speedup), USUAL_STEPS)
    assert len(steps) - len(first) == pytest.approx(2 * USUAL_STEPS / speedup, abs=1)


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
