"""The least total cost, against brute force; and levels that no formula was made for."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navicache.policies.noise_levels import build_shifted_levels, estimate_level, fit_shift
from navicache.policies.step_costs import USUAL_EXPONENTS, choose_steps, compute_step_costs


def total_cost(steps, costs):
    gaps = itertools.pairwise(sorted(steps))
    return sum(
        costs[step] * (step - here) ** USUAL_EXPONENTS.gap for here, there in gaps for step in range(here + 1, there)
    )


@given(costs=st.lists(st.floats(0.01, 10.0), min_size=4, max_size=11), budget=st.integers(2, 11))
def test_no_other_choice_of_as_many_steps_costs_less(costs, budget):
    chosen = choose_steps(tuple(costs), budget, 1)
    last = len(costs) - 1
    others = itertools.combinations(range(1, last), len(chosen) - 2)
    least = min(total_cost((0, *between, last), costs) for between in others)
    assert len(chosen) == min(max(budget, 2), len(costs))
    assert total_cost(chosen, costs) == pytest.approx(least, rel=0.05)


@given(
    levels=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=80),
    budget=st.integers(0, 90),
    first=st.integers(1, 5),
)
def test_any_levels_give_the_budget(levels, budget, first):
    """Repeated levels, levels that rise, all of them alike."""
    costs = compute_step_costs(levels)
    assert all(math.isfinite(cost) and cost >= 0 for cost in costs)
    chosen = choose_steps(costs, budget, first)
    steps = len(levels) - 1
    assert len(chosen) == min(steps, max(budget, min(first, steps - 1) + 1))
    assert steps - 1 in chosen


def test_a_thousand_steps_are_planned():
    chosen = choose_steps(compute_step_costs(build_shifted_levels(1000, 3.0)), 250, 3)
    assert len(chosen) == 250


@given(shift=st.floats(0.3, 60.0), first=st.integers(0, 3), step=st.integers(4, 49))
def test_a_shift_is_found_again_to_an_eighth_of_an_octave(shift, first, step):
    levels = build_shifted_levels(50, shift)
    found = fit_shift(first / 50, step / 50, levels[step] / levels[first])
    assert abs(math.log2(found / shift)) <= 0.07


@given(first=st.floats(allow_nan=True), time=st.floats(allow_nan=True))
def test_any_time_is_a_level_or_nothing(first, time):
    level = estimate_level(first, time)
    assert level is None or 0 <= level <= 1


@pytest.mark.parametrize("budget", range(2, 12))
@pytest.mark.parametrize("costs", [(1.0,) * 11, (1.0, 2.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0)])
def test_equal_costs_are_planned_as_well_as_any(costs, budget):
    """Several steps are then worth the same price."""
    others = itertools.combinations(range(1, 10), budget - 2)
    least = min(total_cost((0, *between, 10), costs) for between in others)
    assert total_cost(choose_steps(costs, budget, 1), costs) == pytest.approx(least, rel=1e-9)
