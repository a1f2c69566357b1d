"""Predictors over a whole run: exact where the course is what they assume, damped to nothing where there is none."""

import numpy as np
import pytest
from tests.policies.courses import irregular, jumps, line
from tests.policies.doubles import Told, Watched
from tests.policies.drive import Single, drive

from navicache.policies import DeadReckoning, OutputHold, Scheme, PolynomialExtrapolation
from navicache.policies.dead_reckoning import MIN_DAMPING, MAX_DAMPING


def follow(predictor, course, steps: set[int], total: int = 60):
    """Errors of the reused steps, and every state."""
    watched = Watched(predictor, [])
    video = [(np.full_like(course(i), i), course(i)) for i in range(total)]
    seen = drive(Single(Scheme("model", Told(steps=steps), watched)), video)
    errors = [float(np.abs(r - y).mean()) for r, (_, y) in zip(seen.returned, video, strict=True)]
    return errors, watched.states


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("predictor", [DeadReckoning(), PolynomialExtrapolation(1), PolynomialExtrapolation(2)])
def test_a_line_is_followed_exactly_whatever_the_gaps(predictor, seed):
    errors, states = follow(predictor, line, irregular(60, seed))
    assert max(errors[2:]) < 1e-9
    if isinstance(predictor, DeadReckoning):
        assert states[-1].damping.mean == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(3))
def test_a_parabola_is_followed_exactly_whatever_the_gaps(seed):
    errors, _ = follow(PolynomialExtrapolation(2), lambda i: line(i) + 0.1 * line(0)[::-1] * i**2, irregular(60, seed))
    assert max(errors[3:]) < 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_on_a_random_walk_the_damping_goes_and_holding_is_no_better(seed):
    steps = irregular(60, seed)
    errors, states = follow(DeadReckoning(), jumps(seed), steps)
    held, _ = follow(OutputHold(), jumps(seed), steps)
    undamped, _ = follow(PolynomialExtrapolation(1), jumps(seed), steps)
    assert states[-1].damping.mean < 0.1
    assert all(MIN_DAMPING <= state.damping.mean <= MAX_DAMPING for state in states if state.damping is not None)
    assert sum(errors[10:]) < 1.05 * sum(held[10:])
    assert sum(undamped[10:]) > 1.2 * sum(held[10:])


def test_what_swings_from_step_to_step_is_met_midway():
    """Holding is right at every other step, and off by the whole swing at the others."""
    steps = {0, 1, *range(2, 60, 3)}
    errors, states = follow(DeadReckoning(), lambda i: line(0) * (-1.0) ** i, steps)
    held, _ = follow(OutputHold(), lambda i: line(0) * (-1.0) ** i, steps)
    assert states[-1].damping.mean == pytest.approx(MIN_DAMPING, abs=0.02)
    assert sum(error**2 for error in errors[20:]) < 0.9 * sum(error**2 for error in held[20:])


def test_a_course_that_halves_its_speed_at_every_compute_is_damped_by_half():
    _, states = follow(DeadReckoning(), lambda i: line(0) * 2.0**-i, set(range(20)), total=20)
    assert states[-1].damping.mean == pytest.approx(0.5, abs=1e-4)
