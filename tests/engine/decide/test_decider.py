"""One line of decisions, sample by sample."""

import math

import pytest
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import WATCHES_NOTHING, arrived, batch, moment, recorder, rows, scheme, taught, told_apart

from navicache.engine.decide.decider import NOT_FINITE, Decider
from navicache.engine.decide.gauge import Gauge
from navicache.engine.decide.signal import Watch
from navicache.engine.tracking.batch import Batch
from navicache.policies import Taylor


def decider(predictor=None, gate=None, of=None, gauge=WATCHES_NOTHING):
    plan = scheme(gate, predictor)
    return Decider(plan, recorder(plan), of or batch(), gauge, Watch(frozenset()))


def lines(made):
    return made.recorder.current().steps


@pytest.mark.parametrize(
    ("known", "reference", "serves"),
    [
        ((), (), False),
        ((4,), (), False),
        ((4,), (4,), True),
        ((4,), (3,), False),
        ((4, 2), (4, 2), True),
        ((4, 2), (4, 3), True),
        ((4, 2), (4,), False),
        ((4,), (4, 2), True),
    ],
    ids=[
        "nothing was computed",
        "the stream was not",
        "the same step",
        "an older step",
        "the same steps",
        "others before, as many",
        "too few",
        "more than needed",
    ],
)
def test_a_reference_serves_from_the_newest_step_and_where_there_are_as_many(known, reference, serves):
    made = decider(Taylor(1))
    made.computed_at = [known]
    assert made.serves(0, reference) == serves


def test_computed_steps_are_kept_newest_first_as_far_as_the_predictor_looks_back():
    made = decider(Taylor(1), of=batch(2))
    for index, samples in ((0, (0, 1)), (3, (1,)), (4, (0, 1))):
        made.computed(index, samples)
    assert made.computed_at == [(4, 0), (4, 3)]


def test_weights_go_by_the_gaps_of_the_references():
    """A line through steps 2 and 1 gives step 4 as 3 and -2 of them; through 2 and 0 as 2 and -1."""
    made = decider(Taylor(1))
    made.computed_at = [(2, 1)]
    made.decide(moment(4), "cond", 1, True)
    assert made.weights([(2, 1)])[0].references == ((0, 3), (0, -2))
    assert made.weights([(2, 0)])[0].references == ((0, 2), (0, -1))


def test_what_was_useless_has_no_weight():
    made = decider(Taylor(1))
    made.computed_at = [(2, 1)]
    made.decide(moment(4), "cond", 1, True)
    made.useless = [1]
    assert made.weights_of(Taylor(1), 0, None, (2, 1)).references[0] == (0, 1), "the newest one is held"


def test_gaps_are_those_of_the_runs_own_numbers():
    """The engine was called at steps 3, 5 and 9 of the run."""
    made = decider(Taylor(1))
    made.recorder.finish(finished=True)
    for number in (3, 5, 9):
        made.recorder.begin_step(number, None, None)
    made.computed_at = [(1, 0)]
    made.decide(moment(9)._replace(own_index=2), "cond", 1, True)
    assert (made.steps[0].gap, made.steps[0].gaps) == (4, (4, 2))


def test_samples_that_are_told_apart_have_what_all_shared():
    made = decider(Taylor(1), of=Batch(3, settled=False))
    made.computed(0, (0,))
    made.learn("cond", 0, taught(0, output_size=2.0))
    told_apart(made.batch)
    assert (made.computed_at, made.output_size, made.useless) == ([(0,)] * 3, [2.0] * 3, [-1] * 3)
    made.computed(1, (2,))
    assert made.computed_at == [(0,), (0,), (1, 0)]


def test_a_step_knows_its_sample():
    gate = Every("sample", "lead", frozenset({"since_seen"}), (0, 3))
    rows_of_two = batch(2)
    rows_of_two.layout = ((0, 2), (1, 3))
    made = decider(gate=gate, of=rows_of_two, gauge=Gauge(gate.reads, False))
    made.computed_at, made.output_size = [(0,), (1,)], [5.0, None]
    made.readings = {"since_seen": arrived(1, 2, 3, 4)}
    verdicts = made.decide(moment(3), "cond", 6, True)
    assert [verdict.compute for verdict in verdicts] == [True, True]
    assert [(s.since_seen, s.gap, s.output_size, s.elements) for s in made.steps] == [(2, 3, 5, 6), (3, 2, None, 6)]
    assert [(line.index, line.sample, line.reason) for line in lines(made)] == [(3, 0, "schedule"), (3, 1, "schedule")]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_output_that_is_useless_is_no_reference_to_look_back_on(bad):
    made = decider(Taylor(1))
    made.computed(4, (0,))
    made.learn("cond", 0, taught(4, output_size=bad))
    assert (made.computed_at, made.useless) == ([()], [4])
    made.decide(moment(5), "cond", 1, True)
    assert made.recorder.current().notes == (NOT_FINITE,)


def test_what_a_compute_taught_goes_to_the_trace_relative():
    made = decider()
    made.decide(moment(4), "cond", 1, True)
    made.learn("cond", 0, taught(4, input_change=2.0, output_change=6.0, output_size=12.0, prediction_error=0.25))
    (line,) = lines(made)
    assert (line.measured_ratio, line.output_change, line.reuse_error) == (3, 0.5, 0.25)


def test_measurements_of_what_was_the_same_step_once_more_are_taken_back():
    made = decider(gate=Every(reads=frozenset({"since_seen"})), gauge=Gauge(frozenset({"since_seen"}), False))
    made.measure(rows(1), rows(1), None)
    before = made.readings
    made.measure(rows(0), rows(1), None)
    assert made.readings is not before
    made.take_back()
    assert made.readings is before
