"""What waits to be learnt, and who learns it."""

import math

import pytest
from tests.engine.toys.gates import Every, Told
from tests.engine.toys.parts import arrived, batch, moment, recorder, scheme

from navicache.engine.decide.decider import NONFINITE_NOTE
from navicache.engine.decide.deciders import StreamDeciders
from navicache.engine.decide.pending_outcome import FiniteCheck, PendingOutcome
from navicache.engine.predict.branch_differences import BranchDifferences
from navicache.engine.predict.storage_options import StorageOptions
from navicache.engine.run.additional_outputs import AdditionalOutputs
from navicache.engine.run.latent_state import LatentState
from navicache.engine.run.pending_outcomes import PendingOutcomes
from navicache.engine.run.stream_caches import StreamCaches
from navicache.policies import DeadReckoning, Decision

MOVES = {"product 0 0": arrived(1, 1), "product 0 1": arrived(-1, -1), "product 1 1": arrived(1, 1)}


def lessons(count=1, gate=None):
    of = scheme(gate or Told("sample"), DeadReckoning(), DeadReckoning())
    trace, samples = recorder(of), batch(count)
    deciders = StreamDeciders(of, trace, samples)
    streams = StreamCaches(of, StorageOptions(), LatentState(), samples, deciders)
    made = PendingOutcomes(trace, samples, deciders, streams, AdditionalOutputs(streams), checks_followers=True)
    for sample in range(count):
        trace.add_decision(4, "cond", sample, Decision(True, "gate"))
    return made


def lesson(about="output", index=4, **readings):
    return PendingOutcome(moment(index), "cond", range(2), [(3, 2)] * 2, readings, about)


def test_an_output_teaches_the_decider_of_every_sample():
    made = lessons(2)
    made.queue_outcomes([lesson(output_magnitude=arrived(5, 7))])
    made.learn_outcomes()
    assert made.deciders.get_or_create("cond").output_magnitudes == [5, 7]
    assert made.outcomes == []


def test_a_difference_teaches_the_course_of_its_stream_alone():
    made = lessons(2)
    made.queue_outcomes([lesson("difference", output_magnitude=arrived(5, 7), **MOVES)])
    made.learn_outcomes()
    assert made.streams.difference_predictors.get_or_create_states("cond")[0].damping.mean < 0.5
    assert made.deciders.get_or_create("cond").output_magnitudes == [None, None]
    assert made.deciders.get_or_create("cond").predictor_states[0].damping is None


def test_a_truth_goes_to_the_trace_and_teaches_nobody():
    made = lessons(2)
    made.queue_outcomes([lesson("truth", output_magnitude=arrived(4, 8), prediction_error=arrived(1, 1))])
    made.learn_outcomes()
    assert [line.reuse_error for line in made.recorder.build_run_record().steps] == [0.25, 0.125]
    assert made.deciders.get_or_create("cond").output_magnitudes == [None, None]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_sample_is_broken_where_any_of_its_rows_is(bad):
    """Also where only its first row teaches, since the others are kept as differences."""
    made = lessons()
    made.batch.layout = ((0, 1),)
    made.streams.set_branch_differences(BranchDifferences(made.batch.layout))
    made.deciders.get_or_create("cond").mark_computed(4, (0,))
    made.queue_outcomes([lesson(output_magnitude=arrived(5, bad))])
    made.learn_outcomes()
    assert made.deciders.get_or_create("cond").computed_steps == [()]
    assert made.recorder.build_run_record().notes == (NONFINITE_NOTE,)


def test_a_follower_whose_output_is_broken_loses_the_reference_of_that_sample():
    made = lessons(2)
    made.streams.get_or_create("uncond").mark_computed(4, (0, 1))
    made.finite_checks.append(FiniteCheck("uncond", range(2), arrived(1.0, math.nan)))
    made.learn_outcomes()
    assert made.streams.get_or_create("uncond").computed_steps == [(4,), ()]
    assert made.recorder.build_run_record().notes == (NONFINITE_NOTE,)
    assert made.finite_checks == []


def test_a_proof_of_a_stream_that_has_gone_is_passed_over():
    made = lessons()
    made.finite_checks.append(FiniteCheck("uncond", range(1), arrived(math.nan)))
    made.learn_outcomes()
    assert made.recorder.build_run_record().notes == ()


def test_all_that_must_cross():
    made = lessons(gate=Every())
    size, change, proof = arrived(1, 1), arrived(2, 2), arrived(3)
    made.queue_outcomes([lesson(output_magnitude=size, output_change=change)])
    made.finite_checks.append(FiniteCheck("uncond", range(1), proof))
    assert made.list_pending_readings() == [size, change, proof]
    made.release_tensors()
    assert made.list_pending_readings() == [size, change], (
        "nothing is reused any more, but the trace still wants to know"
    )


def test_only_the_trace_waits_for_a_truth():
    made = lessons()
    made.queue_outcomes([lesson("truth", output_magnitude=arrived(1, 1))])
    assert not made.affects_next_step
    made.queue_outcomes([lesson("difference", output_magnitude=arrived(1, 1))])
    assert made.affects_next_step
    made.learn_outcomes()
    made.finite_checks.append(FiniteCheck("uncond", range(1), arrived(1.0)))
    assert made.affects_next_step, "an output that is broken must not be reused"
