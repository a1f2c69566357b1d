"""The error gate: traces by mental arithmetic."""

import math
from dataclasses import replace

import pytest

from navicache.estimator import Gaussian
from navicache.policies import (
    ErrorGate,
    Outcome,
    Step,
)
from navicache.policies.error_gate import CAUTION_DEVIATIONS, MAX_GROWTH_ERROR, SPREAD_UPDATE_SHARE, ErrorGateState

EVEN = ErrorGate(threshold=1.0)
HALF = ErrorGateState(error_growth=Gaussian(0.5, 1.0))  # k = 0.5


def step(since_seen=1.0, output_magnitude=2.0, index=20, **more) -> Step:
    return Step(index=index, local_index=index, since_seen=since_seen, output_magnitude=output_magnitude, **more)


def outcome(error=None, index=20) -> Outcome:
    return Outcome(index=index, local_index=index, prediction_error=error, output_magnitude=2.0)


def decisions(gate, state, *steps):
    """One letter a step and the state in the end; nothing is learnt."""
    marks = ""
    for each in steps:
        decision, state = gate.decide(state, each)
        marks += "C" if decision.compute else "r"
    return marks, state


def test_the_error_adds_up_until_it_is_too_much():
    """x moves by 1, |y_j| is 2: d = 0.5, 1, 1.5; k d^2 = 0.125, 0.5, 1.125; E = 0.125, 0.625, 1.75."""
    state, seen = HALF, []
    for _ in range(3):
        decision, state = EVEN.decide(state, step())
        seen.append((decision.compute, state.relative_distance, state.predicted_error, state.accumulated_error))
    assert seen == [(False, 0.5, 0.125, 0.125), (False, 1.0, 0.5, 0.625), (True, 1.5, 1.125, 1.75)]


def test_an_error_right_at_the_threshold_computes():
    assert decisions(replace(EVEN, threshold=0.625), HALF, step(), step())[0] == "rC"
    assert decisions(replace(EVEN, threshold=0.6251), HALF, step(), step())[0] == "rr"


def test_threshold_zero_always_computes():
    still = ErrorGateState(error_growth=Gaussian(0.0, 1.0))
    assert decisions(replace(EVEN, threshold=0.0), still, step(), step(0.0))[0] == "CC"


def test_the_threshold_is_the_same_throughout_a_run():
    for facts in ({"sigma": 1.0}, {"sigma": 0.0}, {"index": 1, "total": 50}, {"index": 48, "total": 50}):
        assert decisions(EVEN, HALF, *[step(**facts)] * 3)[0] == "rrC", facts


CERTAIN = HALF._replace(growth_spread=0.0)
PROMISE = ErrorGate(threshold=1.0, bounds_each_step=True)


def test_a_promise_looks_at_each_step_by_itself():
    """k d^2 = 0.125, 0.5, 1.125 against 1."""
    marks, state = decisions(PROMISE, CERTAIN, *[step()] * 3)
    assert marks == "rrC"
    assert state.accumulated_error == state.predicted_error == 1.125


def test_a_promise_keeps_deviations_away():
    """k missed by half of itself in the mean: 0.125 (1 + 0.5 c)."""
    _, state = PROMISE.decide(HALF._replace(growth_spread=0.25), step())
    assert state.predicted_error == 0.125 * (1 + 0.5 * CAUTION_DEVIATIONS)


def test_a_promise_does_not_trust_the_square_below_the_distance_it_was_measured_at():
    """At d = 0.5, a quarter of 2: a quarter of the error measured there, k 2^2 = 2, and not a sixteenth."""
    _, state = PROMISE.decide(CERTAIN._replace(last_error_distance=2.0), step())
    assert state.predicted_error == 0.5
    _, state = PROMISE.decide(CERTAIN._replace(last_error_distance=0.25), step())
    assert state.predicted_error == 0.125, "beyond it the square is the larger one"


@pytest.mark.parametrize(
    ("growth", "error", "missed"),
    [(0.5, 0.25, 1.0), (0.5, 50.0, MAX_GROWTH_ERROR**2), (0.0, 0.25, MAX_GROWTH_ERROR**2)],
)
def test_the_spread_follows_how_far_the_growth_missed(growth, error, missed):
    """At a distance of 0.5 an error of 0.25 is a growth of 1: k = 0.5 has missed by once itself."""
    state = ErrorGateState(error_growth=Gaussian(growth, 1.0), relative_distance=0.5, growth_spread=0.0)
    after = EVEN.learn(state, Outcome(index=3, local_index=3, output_magnitude=1.0, prediction_error=error))
    assert after.growth_spread == pytest.approx(SPREAD_UPDATE_SHARE * missed)
    assert after.last_error_distance == 0.5


@pytest.mark.parametrize("growth", [5e-324, 1e-300])
def test_a_growth_next_to_nothing_breaks_nothing(growth):
    state = ErrorGateState(error_growth=Gaussian(growth, 1.0), relative_distance=0.1)
    after = EVEN.learn(state, Outcome(index=3, local_index=3, output_magnitude=1.0, prediction_error=1e10))
    assert math.isfinite(after.growth_spread)
    assert math.isfinite(after.error_growth.mean)


def test_before_an_error_is_measured_everything_computes():
    decision, state = EVEN.decide(EVEN.init(), Step(index=0, local_index=0))
    assert decision == (True, "no error yet")
    decision, state = EVEN.decide(EVEN.learn(state, outcome()), step())
    assert decision == (True, "no error yet")
    state = EVEN.learn(state, outcome(0.125))  # d = 0.5, so k = 0.5: the first is believed as it is
    assert state.error_growth == Gaussian(0.5, 1.0)
    assert decisions(EVEN, state, step(), step(), step())[0] == "rrC"


def test_a_compute_clears_error_and_distance():
    _, state = decisions(EVEN, HALF, step(), step(), step())
    state = EVEN.learn(state, outcome())
    assert state == ErrorGateState(HALF.error_growth, predicted_error=1.125)
    assert decisions(EVEN, state, step(), step(), step())[0] == "rrC", "the same again"


def test_the_distance_is_in_units_of_the_output():
    """|y_j| = 8: d = n / 8, k d^2 = n^2 / 128: E = 1/128, 5/128, 14/128, 30/128, 55/128, 91/128, 140/128."""
    assert decisions(EVEN, HALF, *[step(output_magnitude=8.0)] * 7)[0] == "rrrrrrC"


def test_growth_is_followed():
    """Three steps: d = 1.5. An error of 4.5 means k = 2; P = 1.05, K = 1.05 / 1.1."""
    _, state = decisions(EVEN, HALF, step(), step(), step())
    state = EVEN.learn(state, outcome(4.5))
    gain = 1.05 / (1.1 + 1e-8)
    assert state.gain == pytest.approx(gain)
    assert state.error_growth == pytest.approx((0.5 + gain * 1.5, gain * 0.05), rel=1e-6)


def test_noises_are_the_filters():
    _, state = decisions(EVEN, HALF, step())
    for knobs, gain in (({"process_noise": 1.0}, 2 / 2.05), ({"measurement_noise": 1.05}, 0.5)):
        learnt = replace(EVEN, **knobs).learn(state, outcome(0.25))  # k = 1
        assert learnt.error_growth.mean == pytest.approx(0.5 + gain * 0.5, rel=1e-6)


def test_a_latent_that_stands_still_teaches_nothing():
    _, state = EVEN.decide(HALF, step(since_seen=0.0))
    assert state.predicted_error == 0.0
    assert EVEN.learn(state, outcome(0.3)).error_growth == HALF.error_growth


@pytest.mark.parametrize("unknown", [{"since_seen": None}, {"output_magnitude": None}, {"output_magnitude": 0.0}])
def test_a_step_that_was_not_measured_computes_and_teaches_nothing(unknown):
    """After one measured step and one that was not, the distance is unknown: an error over half of it would mislead."""
    marks, state = decisions(EVEN, HALF, step(), step(**unknown))
    assert marks == "rC"
    assert state.predicted_error is None
    state = EVEN.learn(state, outcome(0.5))
    assert state.error_growth == HALF.error_growth
    assert (state.accumulated_error, state.input_distance, state.relative_distance) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_a_number_is_below_nothing(bad):
    assert decisions(EVEN, HALF, step(since_seen=bad))[0] == "C"


def test_what_it_explains():
    _, state = decisions(EVEN, HALF, step(), step())
    shown = {
        "accumulated": 0.625,
        "threshold": 1.0,
        "predicted_change": 0.5,
        "ratio": 0.5,
        "variance": 1.0,
        "gain": 0.0,
    }
    assert EVEN.explain(state) == shown
    assert EVEN.explain(EVEN.init()) == {"accumulated": 0.0, "threshold": 1.0}
