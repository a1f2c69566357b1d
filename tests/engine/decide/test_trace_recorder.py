"""The trace as it grows."""

import pytest
import torch
from tests.engine.toys.parts import arrived, recorder, scheme

from navicache.engine.decide.trace_recorder import MAX_KEPT_RUNS
from navicache.engine.tensors.device_readings import fetch_readings
from navicache.policies import Decision, Step

COMPUTE, REUSE = Decision(True, "gate"), Decision(False, "gate")


@pytest.fixture
def trace():
    made = recorder(scheme(), steps=0)
    for index, verdict in enumerate((COMPUTE, REUSE, COMPUTE)):
        made.begin_step(index, None, None)
        made.add_decision(index, "cond", 0, verdict, Step(index, index, since_seen=float(index), sigma=0.5))
        made.add_decision(index, "uncond", 0, Decision(verdict.compute, "follows"))
    return made


def test_a_line_holds_what_was_known_and_what_was_found_out_since(trace):
    trace.amend_fields(1, "cond", 0, {"computed": True, "reason": "no reference"})
    trace.amend_fields(1, "cond", 0, {"reuse_error": 0.25})
    line = trace.build_run_record().steps[2]
    assert (line.index, line.stream, line.computed, line.reason) == (1, "cond", True, "no reference")
    assert (line.input_change, line.sigma, line.reuse_error) == (1.0, 0.5, 0.25)
    follower = trace.build_run_record().steps[3]
    assert (follower.reason, follower.input_change) == ("follows", None)


def test_what_was_written_before_samples_were_told_apart_counts_for_each(trace):
    trace.amend_fields(1, "cond", 0, {"reuse_error": 0.25})
    trace.begin_step(3, None, None)
    for sample in range(3):
        trace.add_decision(3, "cond", sample, COMPUTE)
    record = trace.build_run_record()
    assert record.samples == 3
    assert [record.computed_steps(sample) for sample in range(3)] == [(0, 2, 3)] * 3
    assert [record.column("reuse_error", sample)[1] for sample in range(3)] == [0.25] * 3
    assert trace.count_steps() == (9, 3)
    trace.amend_fields(1, "cond", 2, {"reuse_error": 0.5})
    assert [trace.build_run_record().column("reuse_error", sample)[1] for sample in (1, 2)] == [0.25, 0.5], (
        "each has its own"
    )
    assert [step.sample for step in trace.build_run_record().steps if step.index < 3] == [0] * 6 + [1, 2] * 6


def test_a_number_that_was_wrong_is_corrected_for_all_that_is_known_of_its_step():
    trace = recorder(scheme(), steps=0)
    trace.begin_step(7, None, arrived(7.0))
    trace.add_decision(0, "cond", 0, COMPUTE)
    trace.amend_fields(0, "cond", 0, {"reuse_error": 0.25})
    assert trace.to_run_index(0) == 7
    trace.set_first_index_to_zero()
    (line,) = trace.build_run_record().steps
    assert (line.index, line.computed, line.reuse_error, line.time) == (0, True, 0.25, 7.0)


def test_a_record_that_goes_on_counts_the_engines_steps_from_0_again(trace):
    trace.restart_step_count()
    trace.begin_step(5, None, None)
    trace.add_decision(0, "cond", 0, REUSE)
    trace.amend_fields(0, "cond", 0, {"reuse_error": 0.5})
    assert (trace.to_run_index(0), trace.build_run_record().steps[-1].index) == (5, 5)
    assert trace.build_run_record().column("reuse_error") == (None, None, None, 0.5)


def test_a_line_that_is_explained_late_keeps_its_verdict_and_its_place(trace):
    trace.add_explanation(1, "cond", 0, Step(1, 1, since_seen=9.0), None)
    line = trace.build_run_record().steps[2]
    assert (line.index, line.computed, line.input_change) == (1, False, 9.0)


def test_progress_counts_leading_lines_as_amended(trace):
    assert trace.count_steps() == (2, 1)
    trace.amend_fields(1, "cond", 0, {"computed": True})
    trace.amend_fields(0, "uncond", 0, {"computed": False})
    assert trace.count_steps() == (3, 0)


def test_a_time_that_was_written_over_is_not_known():
    """One tensor for all steps: only the newest time is still in it."""
    trace, buffer = recorder(scheme(), steps=0), torch.tensor([9.0])
    for index, time in enumerate((9.0, 8.0, 7.0)):
        trace.begin_step(index, None, buffer.fill_(time))
        trace.add_decision(index, "cond", 0, COMPUTE)
    fetch_readings(trace.queue_time_readings())
    assert trace.build_run_record().column("time") == (None, None, 7.0)


def test_a_run_is_finished_when_told_or_when_its_last_step_is_there(trace):
    assert not trace.build_run_record().finished
    trace.begin_step(2, 3, None)
    assert trace.build_run_record().finished
    trace.begin_step(2, 4, None)
    trace.add_note("once")
    trace.add_note("once")
    trace.finish_run(is_complete=True)
    (record,) = trace.run_records
    assert (record.finished, record.started, record.notes, record.total) == (True, "first call", ("once",), 4)
    assert trace.build_run_record() is None


def test_only_the_newest_runs_are_kept():
    made = recorder(scheme(), steps=0)
    for number in range(MAX_KEPT_RUNS + 3):
        made.begin_run(f"run {number}")
        made.begin_step(0, None, None)
        made.add_decision(0, "cond", 0, COMPUTE)
        made.finish_run(is_complete=True)
    made.finish_run(is_complete=True)  # nothing was open
    assert [made.run_records[0].started, made.run_records[-1].started, len(made.run_records)] == [
        "run 3",
        f"run {MAX_KEPT_RUNS + 2}",
        MAX_KEPT_RUNS,
    ]
