"""The sum of a signal's changes, by hand."""

import math

import pytest

from navicache.policies import Step
from navicache.policies.signal_gate import SignalGate, SignalGateState, evaluate_polynomial


def step(change: float, size: float = 1.0) -> Step:
    return Step(index=9, local_index=9, since_seen=change, seen_magnitude=size)


def marks(gate: SignalGate, *steps: Step) -> str:
    state, letters = gate.init(), ""
    for each in steps:
        decision, state = gate.decide(state, each)
        letters += "C" if decision.compute else "r"
    return letters


def test_a_sum_right_at_the_threshold_computes():
    assert marks(SignalGate(threshold=0.75), step(0.25), step(1.0, size=4.0), step(0.25)) == "rrC"


def test_a_sum_below_zero_is_no_reason_to_compute_but_a_threshold_of_zero_is():
    falling = SignalGate(threshold=0.5, coefficients=(0.0, 0.0, 0.0, -1.0, 0.0))
    assert marks(falling, step(0.25), step(9.0)) == "rr"
    assert marks(SignalGate(threshold=0.0, coefficients=falling.coefficients), step(0.25)) == "C"


@pytest.mark.parametrize("accumulated", [math.nan, math.inf, -math.inf])
def test_a_sum_that_is_not_finite_computes(accumulated):
    decision, _ = SignalGate(threshold=0.5).decide(SignalGateState(accumulated), step(0.1))
    assert decision.compute


def test_a_signal_of_nothing_has_no_relative_change_and_computes():
    assert marks(SignalGate(threshold=0.5), step(0.0, size=0.0)) == "C"
    assert marks(SignalGate(threshold=0.5), step(0.1, size=0.0)) == "C"


def test_before_two_signals_there_is_nothing_to_compare():
    decision, state = SignalGate(threshold=0.5).decide(SignalGateState(0.2, 0.1), Step(index=0, local_index=0))
    assert (decision, state) == ((True, "no signal yet"), (0.2, None))


def test_polynomials_begin_with_the_highest_power():
    assert evaluate_polynomial((1.0, 2.0, 3.0), 10.0) == 123.0
