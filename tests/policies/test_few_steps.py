"""Runs of few steps: a preset reuses one in four at most, in the middle, and below eight steps nothing."""

import pytest
from tests.policies.computed import computed_steps

from navicache.models.preset_builders import MIN_TOTAL_STEPS
from navicache.policies import Inertial
from navicache.policies.budget import BudgetGate
from navicache.policies.noise_levels import build_shifted_levels
from navicache.policies.protocols import Step


def list_computed(total, shift, **knobs):
    gate = BudgetGate(**{"speedup": 2.17, **knobs})
    levels = build_shifted_levels(total, shift)
    steps = [Step(i, i, total=total, noise_levels=levels) for i in range(total)]
    return [step.index for step in steps if gate.decide(gate.init(), step)[0].compute]


@pytest.mark.parametrize("shift", [1.0, 3.0, 5.0, 12.0])
@pytest.mark.parametrize(("total", "reused"), [(8, 2), (9, 2), (10, 2), (11, 2), (12, 3)])
def test_one_step_in_four_is_reused_and_none_at_the_ends(total, reused, shift):
    computed = list_computed(total, shift, few_steps_below=MIN_TOTAL_STEPS)
    assert len(computed) == total - reused
    assert computed[:2] == [0, 1] and computed[-1] == total - 1


def test_a_speedup_that_asks_for_less_is_met_as_it_is():
    assert len(list_computed(12, 3.0, speedup=1.1, few_steps_below=MIN_TOTAL_STEPS)) == 11


def test_longer_runs_and_targets_of_ones_own_are_met():
    assert len(list_computed(13, 3.0, few_steps_below=MIN_TOTAL_STEPS)) == 6
    assert len(computed_steps(Inertial(speedup=2.0), 8)) == 4


def test_below_eight_steps_nothing_is_reused():
    (scheme,) = Inertial(speedup=2.17, shortest=MIN_TOTAL_STEPS).schemes()
    assert (scheme.min_total_steps, scheme.few_steps_below) == (8, 13)
    (scheme,) = Inertial(threshold=0.1, shortest=MIN_TOTAL_STEPS).schemes()
    assert (scheme.min_total_steps, scheme.few_steps_below) == (13, 0)
