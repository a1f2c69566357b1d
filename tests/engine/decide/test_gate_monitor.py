"""A gate that is asked for the trace alone, late and in order."""

import math

import torch
from tests.engine.toys.parts import arrived, batch, recorder, scheme, taught

from navicache.engine.decide.gate_monitor import LATE_NONFINITE_NOTE, GateMonitor
from navicache.engine.tensors.device_readings import DeviceReading
from navicache.policies import Decision, ErrorGate, Step
from navicache.policies.guards import FiniteGuard

GATE = FiniteGuard(ErrorGate(threshold=0.0))


def step(index: int, change: float | None = None) -> Step:
    return Step(index=index, local_index=index, since_seen=change, output_magnitude=2.0)


def monitor() -> tuple[GateMonitor, list[DeviceReading]]:
    """Step 1 is known, steps 2 and 3 are on their way."""
    trace = recorder(scheme(GATE))
    made = GateMonitor(GATE, trace, batch())
    for index in (1, 2, 3):
        trace.add_decision(index, "cond", 0, Decision(False, "budget"), step(index))
    readings = [DeviceReading(torch.tensor([1.0])), DeviceReading(torch.tensor([1.0]))]
    made.observe_step("cond", 0, (0,), step(1, 1.0), arrived(1.0))
    for index, reading in zip((2, 3), readings, strict=True):
        made.observe_step("cond", 0, (0,), step(index), reading)
    return made, readings


def lines(made: GateMonitor):
    return made._recorder.build_run_record().steps


def test_a_step_is_explained_when_its_change_has_come():
    made, readings = monitor()
    assert made.list_pending_readings() == readings
    assert [line.input_change for line in lines(made)] == [1.0, None, None]
    assert [line.accumulated for line in lines(made)] == [0.0, None, None]
    readings[0].set_values([3.0])
    made.process_fetched_steps()
    assert [line.input_change for line in lines(made)] == [1.0, 3.0, None]
    assert made.list_pending_readings() == readings[1:]
    assert [line.computed for line in lines(made)] == [False] * 3, "its verdicts do not count"


def test_it_learns_after_the_steps_up_to_the_compute_and_before_those_beyond():
    """The input has travelled 1 + 3 of 2 at step 2: d = 2, so an error of 0.8 grows by 0.2 d^2."""
    made, readings = monitor()
    readings[0].set_values([3.0])
    readings[1].set_values([1.0])
    made.learn_outcome(0, taught(2, output_magnitude=2.0, prediction_error=0.8))
    made.process_fetched_steps()
    assert [line.ratio for line in lines(made)] == [None, None, 0.2]
    assert lines(made)[2].predicted_change == 0.2 * 0.5**2


def test_what_is_not_finite_is_kept_from_it_and_noted():
    made, readings = monitor()
    for reading, value in zip(readings, (math.nan, 1.0), strict=True):
        reading.set_values([value])
    made.process_fetched_steps()
    made.learn_outcome(0, taught(3, output_magnitude=2.0, prediction_error=0.25))
    assert made._recorder.build_run_record().notes == (LATE_NONFINITE_NOTE,)
    assert math.isnan(lines(made)[1].input_change)
    assert all(line.accumulated == 0.0 for line in lines(made))
