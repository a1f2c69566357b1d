"""What waits to be learnt, and who learns it."""

import math

import pytest
from tests.engine.toys.gates import Every, Told
from tests.engine.toys.parts import arrived, batch, moment, recorder, scheme

from navicache.engine.decide.decider import NOT_FINITE
from navicache.engine.decide.deciders import Deciders
from navicache.engine.decide.lesson import Lesson, Proof
from navicache.engine.predict.branches import Branches
from navicache.engine.predict.stream import Keep
from navicache.engine.run.lessons import Lessons
from navicache.engine.run.seen import Seen
from navicache.engine.run.streams import Streams
from navicache.policies import DeadReckoning, Verdict

MOVES = {"product 0 0": arrived(1, 1), "product 0 1": arrived(-1, -1), "product 1 1": arrived(1, 1)}


def lessons(count=1, gate=None):
    of = scheme(gate or Told("sample"), DeadReckoning(), DeadReckoning())
    trace, samples = recorder(of), batch(count)
    deciders = Deciders(of, trace, samples)
    made = Lessons(trace, samples, deciders, Streams(of, Keep(), Seen(), samples, deciders), proves=True)
    for sample in range(count):
        trace.add(4, "cond", sample, Verdict(True, "gate"))
    return made


def lesson(about="output", index=4, **readings):
    return Lesson(moment(index), "cond", range(2), [(3, 2)] * 2, readings, about)


def test_an_output_teaches_the_decider_of_every_sample():
    made = lessons(2)
    made.queue(lesson(output_size=arrived(5, 7)))
    made.learn()
    assert made.deciders.of("cond").output_size == [5, 7]
    assert made.waiting == []


def test_a_difference_teaches_the_course_of_its_stream_alone():
    made = lessons(2)
    made.queue(lesson("difference", output_size=arrived(5, 7), **MOVES))
    made.learn()
    assert made.streams.courses.of("cond")[0].damping.mean < 0.5
    assert made.deciders.of("cond").output_size == [None, None]
    assert made.deciders.of("cond").predictors[0].damping is None


def test_a_truth_goes_to_the_trace_and_teaches_nobody():
    made = lessons(2)
    made.queue(lesson("truth", output_size=arrived(4, 8), prediction_error=arrived(1, 1)))
    made.learn()
    assert [line.reuse_error for line in made.recorder.current().steps] == [0.25, 0.125]
    assert made.deciders.of("cond").output_size == [None, None]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_sample_is_broken_where_any_of_its_rows_is(bad):
    """Also where only its first row teaches, since the others are kept as differences."""
    made = lessons()
    made.batch.layout = ((0, 1),)
    made.streams.part(Branches(made.batch.layout))
    made.deciders.of("cond").computed(4, (0,))
    made.queue(lesson(output_size=arrived(5, bad)))
    made.learn()
    assert made.deciders.of("cond").computed_at == [()]
    assert made.recorder.current().notes == (NOT_FINITE,)


def test_a_follower_whose_output_is_broken_loses_the_reference_of_that_sample():
    made = lessons(2)
    made.streams.of("uncond").computed(4, (0, 1))
    made.proofs.append(Proof("uncond", range(2), arrived(1.0, math.nan)))
    made.learn()
    assert made.streams.of("uncond").computed_at == [(4,), ()]
    assert made.recorder.current().notes == (NOT_FINITE,)
    assert made.proofs == []


def test_a_proof_of_a_stream_that_has_gone_is_passed_over():
    made = lessons()
    made.proofs.append(Proof("uncond", range(1), arrived(math.nan)))
    made.learn()
    assert made.recorder.current().notes == ()


def test_all_that_must_cross():
    made = lessons(gate=Every())
    size, change, proof = arrived(1, 1), arrived(2, 2), arrived(3)
    made.queue(lesson(output_size=size, output_change=change))
    made.proofs.append(Proof("uncond", range(1), proof))
    assert made.readings() == [size, change, proof]
    made.release()
    assert made.readings() == [size, change], "nothing is reused any more, but the trace still wants to know"


def test_only_the_trace_waits_for_a_truth():
    made = lessons()
    made.queue(lesson("truth", output_size=arrived(1, 1)))
    assert not made.urgent
    made.queue(lesson("difference", output_size=arrived(1, 1)))
    assert made.urgent
    made.learn()
    made.proofs.append(Proof("uncond", range(1), arrived(1.0)))
    assert made.urgent, "an output that is broken must not be reused"
