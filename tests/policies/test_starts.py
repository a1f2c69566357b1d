"""Where a run starts: with fresh noise, at whichever level. What goes on with another's latent has started before."""

import pytest
from tests.policies.computed import computed_steps

from navicache.policies import Inertial
from navicache.policies.budget import build_schedule
from navicache.policies.noise_levels import build_shifted_levels

SPEEDUPS = (1.5, 2.0)


def cut_levels(denoise, steps, shift=3.0):
    """The last steps of a longer run, as image to image has them."""
    return build_shifted_levels(round(steps / denoise), shift)[-steps - 1 :]


def spread_late(steps):
    """Half of the steps for a fortieth of the way, as `linear_quadratic` has them."""
    half = steps // 2
    slow = [1 - 0.025 * step / half for step in range(half)]
    return (*slow, *(0.975 * (1 - (step / (steps - half)) ** 2) for step in range(steps - half)), 0.0)


@pytest.mark.parametrize("speedup", SPEEDUPS)
@pytest.mark.parametrize("denoise", [0.4, 0.55, 0.75])
@pytest.mark.parametrize("steps", [10, 14, 20])
def test_fresh_noise_in_the_middle_begins_with_a_line(steps, denoise, speedup):
    computed = computed_steps(Inertial(speedup=speedup), steps, noise_levels=cut_levels(denoise, steps))
    assert computed[:2] == [0, 1]
    assert len(computed) == round(steps / speedup)


@pytest.mark.parametrize("speedup", SPEEDUPS)
@pytest.mark.parametrize("steps", [10, 14, 18])
def test_first_steps_that_hardly_move_begin_with_a_line(steps, speedup):
    computed = computed_steps(Inertial(speedup=speedup), steps, noise_levels=spread_late(steps))
    assert computed[:2] == [0, 1]
    assert len(computed) == round(steps / speedup)


@pytest.mark.parametrize("steps", [8, 9, 12])
def test_four_computed_steps_have_none_to_spare_for_a_line(steps):
    computed = computed_steps(Inertial(speedup=steps / 4), steps, noise_levels=cut_levels(0.4, steps))
    assert len(computed) == 4
    assert computed[1] > 1


def test_what_another_sampler_began_has_no_long_start():
    levels = cut_levels(0.5, 30)
    for policy in (Inertial(speedup=1.5), Inertial(speedup=1.5, align_steps=8)):
        fresh = computed_steps(policy, 30, noise_levels=levels)
        going_on = computed_steps(policy, 30, noise_levels=levels, is_continued=True)
        assert len(going_on) == len(fresh) == 20
        assert going_on == sorted(build_schedule(levels, 20, 2)) != fresh


def test_every_policy_aligns_shortly_there():
    policy = Inertial(threshold=100.0, align_steps=8)
    assert computed_steps(policy, 30) == [*range(8), 29]
    assert computed_steps(policy, 30, is_continued=True) == [0, 1, 29]
