"""One line of decisions, sample by sample."""

import math

import pytest
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import WATCHES_NOTHING, arrived, batch, moment, recorder, rows, scheme, taught, told_apart

from navicache.engine.decide.decider import NONFINITE_NOTE, StreamDecider
from navicache.engine.decide.measurements import Measurements
from navicache.engine.decide.signal_history import SignalHistory
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.policies import PolynomialExtrapolation


def decider(predictor=None, gate=None, of=None, gauge=WATCHES_NOTHING):
    plan = scheme(gate, predictor)
    return StreamDecider(plan, recorder(plan), of or batch(), gauge, SignalHistory(frozenset()))


def lines(made):
    return made.recorder.build_run_record().steps


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
    made = decider(PolynomialExtrapolation(1))
    made.computed_steps = [known]
    assert made.can_predict(0, reference) == serves


def test_computed_steps_are_kept_newest_first_as_far_as_the_predictor_looks_back():
    made = decider(PolynomialExtrapolation(1), of=batch(2))
    for index, samples in ((0, (0, 1)), (3, (1,)), (4, (0, 1))):
        made.mark_computed(index, samples)
    assert made.computed_steps == [(4, 0), (4, 3)]


def test_weights_go_by_the_gaps_of_the_references():
    """A line through steps 2 and 1 gives step 4 as 3 and -2 of them; through 2 and 0 as 2 and -1."""
    made = decider(PolynomialExtrapolation(1))
    made.computed_steps = [(2, 1)]
    made.decide_samples(moment(4), "cond", 1, True)
    assert made.compute_weights([(2, 1)])[0].references == ((0, 3), (0, -2))
    assert made.compute_weights([(2, 0)])[0].references == ((0, 2), (0, -1))


def test_what_was_useless_has_no_weight():
    made = decider(PolynomialExtrapolation(1))
    made.computed_steps = [(2, 1)]
    made.decide_samples(moment(4), "cond", 1, True)
    made.last_nonfinite_step = [1]
    assert made.compute_sample_weights(PolynomialExtrapolation(1), 0, None, (2, 1)).references[0] == (0, 1), (
        "the newest one is held"
    )


def test_gaps_are_those_of_the_runs_own_numbers():
    """The engine was called at steps 3, 5 and 9 of the run."""
    made = decider(PolynomialExtrapolation(1))
    made.recorder.finish_run(is_complete=True)
    for number in (3, 5, 9):
        made.recorder.begin_step(number, None, None)
    made.computed_steps = [(1, 0)]
    made.decide_samples(moment(9)._replace(local_index=2), "cond", 1, True)
    assert (made.steps[0].gap, made.steps[0].gaps) == (4, (4, 2))


def test_samples_that_are_told_apart_have_what_all_shared():
    made = decider(PolynomialExtrapolation(1), of=BatchSamples(3, is_layout_known=False))
    made.mark_computed(0, (0,))
    made.learn_outcome("cond", 0, taught(0, output_magnitude=2.0))
    told_apart(made.batch)
    assert (made.computed_steps, made.output_magnitudes, made.last_nonfinite_step) == ([(0,)] * 3, [2.0] * 3, [-1] * 3)
    made.mark_computed(1, (2,))
    assert made.computed_steps == [(0,), (0,), (1, 0)]


def test_a_step_knows_its_sample():
    gate = Every("sample", "lead", frozenset({"since_seen"}), (0, 3))
    rows_of_two = batch(2)
    rows_of_two.layout = ((0, 2), (1, 3))
    made = decider(gate=gate, of=rows_of_two, gauge=Measurements(gate.reads, False))
    made.computed_steps, made.output_magnitudes = [(0,), (1,)], [5.0, None]
    made.readings = {"since_seen": arrived(1, 2, 3, 4)}
    verdicts = made.decide_samples(moment(3), "cond", 6, True)
    assert [verdict.compute for verdict in verdicts] == [True, True]
    assert [(s.since_seen, s.gap, s.output_magnitude, s.elements) for s in made.steps] == [
        (2, 3, 5, 6),
        (3, 2, None, 6),
    ]
    assert [(line.index, line.sample, line.reason) for line in lines(made)] == [(3, 0, "schedule"), (3, 1, "schedule")]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_output_that_is_useless_is_no_reference_to_look_back_on(bad):
    made = decider(PolynomialExtrapolation(1))
    made.mark_computed(4, (0,))
    made.learn_outcome("cond", 0, taught(4, output_magnitude=bad))
    assert (made.computed_steps, made.last_nonfinite_step) == ([()], [4])
    made.decide_samples(moment(5), "cond", 1, True)
    assert made.recorder.build_run_record().notes == (NONFINITE_NOTE,)


def test_what_a_compute_taught_goes_to_the_trace_relative():
    made = decider()
    made.decide_samples(moment(4), "cond", 1, True)
    made.learn_outcome(
        "cond", 0, taught(4, input_change=2.0, output_change=6.0, output_magnitude=12.0, prediction_error=0.25)
    )
    (line,) = lines(made)
    assert (line.measured_ratio, line.output_change, line.reuse_error) == (3, 0.5, 0.25)


def test_measurements_of_what_was_the_same_step_once_more_are_taken_back():
    made = decider(gate=Every(reads=frozenset({"since_seen"})), gauge=Measurements(frozenset({"since_seen"}), False))
    made.measure_input(rows(1), rows(1), None)
    before = made.readings
    made.measure_input(rows(0), rows(1), None)
    assert made.readings is not before
    made.discard_measurements()
    assert made.readings is before
