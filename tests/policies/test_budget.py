"""A speed-up is a schedule over noise levels: met exactly, dense where errors cost most, the same for every video."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies.computed import computed_steps

from navicache.policies import Inertial
from navicache.policies.budget import DEFAULT_TOTAL_STEPS, build_schedule
from navicache.policies.noise_levels import build_shifted_levels
from navicache.policies.schedule_forms import PLAIN, TEXT_FLOW

SHIFTS = (1.0, 3.0, 5.0, 8.0, 12.0)


@limits(max_examples=8, deadline=None)
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


@given(total=st.integers(8, 60), budget=st.integers(0, 70), shift=st.sampled_from(SHIFTS))
def test_no_gap_is_longer_than_one_further_inside(total, budget, shift):
    """The distances grow towards the middle, but for the rounding to whole steps."""
    steps = sorted(build_schedule(build_shifted_levels(total, shift), budget, 3))
    gaps = [later - earlier for earlier, later in itertools.pairwise(steps)][2:]
    widest = gaps.index(max(gaps)) if gaps else 0
    rising, falling = gaps[:widest], gaps[widest:]
    assert all(later >= earlier - 1 for earlier, later in itertools.pairwise(rising))
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(falling))


def count_by_fifth(steps):
    return [sum(start <= step < start + 10 for step in steps) for start in range(0, 50, 10)]


def test_the_schedule_follows_the_noise_levels_and_not_the_step_numbers():
    """With a larger shift the first steps change little and the last ones much."""
    fifths = [count_by_fifth(build_schedule(build_shifted_levels(50, shift), 20, 3)) for shift in SHIFTS]
    assert [each[0] for each in fifths] == sorted((each[0] for each in fifths), reverse=True)
    assert [each[-1] for each in fifths] == sorted(each[-1] for each in fifths)
    assert fifths[0][0] > fifths[-1][0] + 2
    assert fifths[-1][-1] > fifths[0][-1] + 2


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("speedup", [2.0, 2.5, 3.0, 4.0])
@pytest.mark.parametrize("form", [PLAIN, TEXT_FLOW])
def test_told_before_the_run_or_by_the_time_of_each_call_the_schedule_is_the_same(shift, speedup, form):
    levels, has_text = build_shifted_levels(50, shift), form is TEXT_FLOW
    told = computed_steps(Inertial(speedup=speedup), 50, noise_levels=levels, has_text=has_text)
    budget = round(50 / speedup)
    assert told == sorted(build_schedule(levels, budget, form.count_first_steps(budget), form))
    for time in (lambda index: levels[index], lambda index: 1000 * levels[index], lambda index: 1 - levels[index]):
        by_time = computed_steps(Inertial(speedup=speedup), 50, time=time, has_text=has_text)
        assert len(by_time) == len(told)
        moved = [abs(one - other) for one, other in zip(by_time, told, strict=True)]
        assert max(moved) <= 1


@pytest.mark.parametrize("total", [20, 30, 50])
@pytest.mark.parametrize("speedup", [2.0, 4.0, 6.0])
@pytest.mark.parametrize(
    "time", [lambda p: math.cos(math.pi * p / 2), lambda p: (1 - p) ** 2, lambda p: 1 - p**3, lambda p: (1 - p) ** 7]
)
def test_times_that_no_shift_fits_leave_the_budget_exact(time, speedup, total):
    steps = computed_steps(Inertial(speedup=speedup), total, time=lambda index: time(index / total))
    assert len(steps) == round(total / speedup)
    assert steps[0] == 0 and steps[-1] == total - 1


@pytest.mark.parametrize("time", [float("nan"), -3.0, 5.0])
def test_a_time_that_says_nothing_leaves_the_usual_schedule(time):
    assert computed_steps(Inertial(), 50, time=time) == computed_steps(Inertial(), 50)


@pytest.mark.parametrize("length", [3, 50, 52])
def test_levels_of_another_number_of_steps(length):
    """A run that starts late has the last levels; too few are no levels."""
    levels = build_shifted_levels(length, 5.0)
    known = sorted(build_schedule(levels[-51:], 25, 6)) if length >= 50 else computed_steps(Inertial(), 50)
    assert computed_steps(Inertial(), 50, noise_levels=levels) == known


def test_a_speedup_of_one_computes_everything():
    assert computed_steps(Inertial(speedup=1.0), 20) == list(range(20))


def test_a_speedup_too_large_leaves_the_alignment_and_the_last_step():
    assert computed_steps(Inertial(speedup=100.0), 50) == [0, 49]
    assert computed_steps(Inertial(speedup=100.0, align_steps=3), 50) == [0, 1, 2, 49]


@pytest.mark.parametrize(
    ("speedup", "first", "last"),
    [(1.0, 15, 2), (2.0, 6, 2), (2.5, 5, 1), (3.0, 4, 1), (4.0, 2, 1), (8.0, 1, 1), (50.0, 1, 1)],
)
@pytest.mark.parametrize("shift", SHIFTS)
def test_the_ends_get_a_share_of_the_budget_whatever_the_noise_levels(speedup, first, last, shift):
    """A third beyond five at the start; a twelfth at the end, at most two steps."""
    levels = build_shifted_levels(50, shift)
    for steps in (
        computed_steps(Inertial(speedup=speedup), 50, noise_levels=levels),
        computed_steps(Inertial(speedup=speedup), 50, time=lambda index: levels[index]),
    ):
        assert steps[:first] == list(range(first))
        assert steps[-last:] == list(range(50 - last, 50))
        assert len(steps) == max(round(50 / speedup), 2)


@pytest.mark.parametrize(("speedup", "first"), [(2.0, 10), (2.4, 8), (2.9, 7), (3.85, 5), (5.5, 4), (10.0, 2)])
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("is_flow", [None, True])
def test_a_flow_that_reads_text_begins_densely_and_ends_with_one_step(speedup, first, shift, is_flow):
    """Lists that others searched on published models look like this."""
    levels = build_shifted_levels(50, shift)
    steps = computed_steps(Inertial(speedup=speedup), 50, noise_levels=levels, has_text=True, is_flow=is_flow)
    assert steps[:first] == list(range(first))
    assert steps[-1] == 49
    assert len(steps) == round(50 / speedup)
    assert sum(step < 25 for step in steps) >= 0.6 * len(steps) or shift > 5


@pytest.mark.parametrize("facts", [{"has_text": True, "is_flow": False}, {"is_flow": True}, {}])
def test_noise_prediction_and_models_without_text_keep_the_plain_form(facts):
    levels = build_shifted_levels(50, 5.0)
    steps = computed_steps(Inertial(speedup=3.0), 50, noise_levels=levels, **facts)
    assert steps == sorted(build_schedule(levels, 17, 4, PLAIN)) != sorted(build_schedule(levels, 17, 7, TEXT_FLOW))


def test_a_long_start_by_hand_leaves_one_last_step_and_the_budget_exact():
    steps = computed_steps(Inertial(speedup=2.0, align_steps=24), 50, noise_levels=build_shifted_levels(50, 3.0))
    assert steps == [*range(24), 49]


def test_an_engine_that_joins_in_mid_run_has_its_share():
    steps = computed_steps(Inertial(speedup=2.0), 50, start=20)
    assert len(steps) == 15
    assert steps[:2] == [20, 21]
    assert steps[-1] == 49


def test_an_engine_that_joins_in_mid_run_is_past_the_start():
    """So it needs two computed steps, whatever a run needs at its start."""
    for policy in (Inertial(speedup=2.0), Inertial(speedup=2.0, align_steps=10)):
        steps = computed_steps(policy, 50, start=20, noise_levels=build_shifted_levels(50, 5.0))
        assert len(steps) == 15
        assert steps[:2] == [20, 21] and steps[2] > 22


@pytest.mark.parametrize("speedup", [1.5, 2.0, 3.0])
def test_an_unknown_number_of_steps_is_taken_for_the_usual_one_and_goes_on_evenly(speedup):
    steps = computed_steps(Inertial(speedup=speedup), 3 * DEFAULT_TOTAL_STEPS, told=False)
    first = [step for step in steps if step < DEFAULT_TOTAL_STEPS]
    assert first == computed_steps(Inertial(speedup=speedup), DEFAULT_TOTAL_STEPS)
    assert len(steps) - len(first) == pytest.approx(2 * DEFAULT_TOTAL_STEPS / speedup, abs=1)


def test_times_that_count_betas_show_that_a_model_with_text_predicts_noise():
    """Then its schedule is that of a model without text, from the third step on."""
    steps = computed_steps(Inertial(), 50, time=lambda index: float(981 - 20 * index), has_text=True)
    assert steps == computed_steps(Inertial(), 50, time=lambda index: float(981 - 20 * index))
    assert steps != computed_steps(Inertial(), 50, time=lambda index: float(1000 - 20 * index), has_text=True)
