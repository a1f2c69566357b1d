"""A gate that is asked for the trace alone, late and in order."""

import math

import torch
from tests.engine.toys.parts import arrived, batch, recorder, scheme, taught

from navicache.engine.decide.monitor import UNSEEN_IN_TIME, Monitor
from navicache.engine.tensors.fetch import Reading
from navicache.policies import ErrorGate, Step, Verdict
from navicache.policies.guards import Finite

GATE = Finite(ErrorGate(threshold=0.0))


def step(index: int, change: float | None = None) -> Step:
    return Step(index=index, own_index=index, since_seen=change, output_size=2.0)


def monitor() -> tuple[Monitor, list[Reading]]:
    """Step 1 is known, steps 2 and 3 are on their way."""
    trace = recorder(scheme(GATE))
    made = Monitor(GATE, trace, batch())
    for index in (1, 2, 3):
        trace.add(index, "cond", 0, Verdict(False, "budget"), step(index))
    readings = [Reading(torch.tensor([1.0])), Reading(torch.tensor([1.0]))]
    made.watch("cond", 0, (0,), step(1, 1.0), arrived(1.0))
    for index, reading in zip((2, 3), readings, strict=True):
        made.watch("cond", 0, (0,), step(index), reading)
    return made, readings


def lines(made: Monitor):
    return made._recorder.current().steps


def test_a_step_is_explained_when_its_change_has_come():
    made, readings = monitor()
    assert made.waiting() == readings
    assert [line.input_change for line in lines(made)] == [1.0, None, None]
    assert [line.accumulated for line in lines(made)] == [0.0, None, None]
    readings[0].arrive([3.0])
    made.catch_up()
    assert [line.input_change for line in lines(made)] == [1.0, 3.0, None]
    assert made.waiting() == readings[1:]
    assert [line.computed for line in lines(made)] == [False] * 3, "its verdicts do not count"


def test_it_learns_after_the_steps_up_to_the_compute_and_before_those_beyond():
    """The input has travelled 1 + 3 of 2 at step 2: d = 2, so an error of 0.8 grows by 0.2 d^2."""
    made, readings = monitor()
    readings[0].arrive([3.0])
    readings[1].arrive([1.0])
    made.learn(0, taught(2, output_size=2.0, prediction_error=0.8))
    made.catch_up()
    assert [line.ratio for line in lines(made)] == [None, None, 0.2]
    assert lines(made)[2].predicted_change == 0.2 * 0.5**2


def test_what_is_not_finite_is_kept_from_it_and_noted():
    made, readings = monitor()
    for reading, value in zip(readings, (math.nan, 1.0), strict=True):
        reading.arrive([value])
    made.catch_up()
    made.learn(0, taught(3, output_size=2.0, prediction_error=0.25))
    assert made._recorder.current().notes == (UNSEEN_IN_TIME,)
    assert math.isnan(lines(made)[1].input_change)
    assert all(line.accumulated == 0.0 for line in lines(made))
