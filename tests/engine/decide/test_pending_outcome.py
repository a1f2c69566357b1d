"""A lesson becomes an outcome, sample by sample, once its readings have crossed."""

import math
from dataclasses import replace

import pytest
from tests.engine.toys.parts import arrived, moment

from navicache.engine.decide.pending_outcome import ERROR_PRODUCT_NAMES, FiniteCheck, PendingOutcome

READINGS = {
    "output_magnitude": arrived(2, 4, 8),
    "input_change": arrived(1, 3, 5),
    "output_change": arrived(2, 6, 4),
    "prediction_error": arrived(1, 0.5, 2),
}
SAME = int  # the engine has followed the run from its start
LESSON = PendingOutcome(moment(5), "cond", range(3), [(3,), (2,)], READINGS)


def test_the_outcome_of_a_sample_is_the_mean_over_its_rows():
    outcome = LESSON.build_outcome(0, (0, 1), SAME)
    assert (outcome.index, outcome.gap, outcome.gaps) == (5, 2, (2,))
    assert (outcome.output_magnitude, outcome.input_change, outcome.output_change) == (3, 2, 4)
    assert outcome.prediction_error == 0.75 / 3, "relative to the output"
    other = LESSON.build_outcome(1, (2,), SAME)
    assert (other.gap, other.output_magnitude, other.prediction_error) == (3, 8, 0.25)


def test_rows_that_were_not_computed_teach_nothing():
    some = replace(LESSON, rows=[2], readings={name: arrived(r.values[2]) for name, r in READINGS.items()})
    assert some.build_outcome(0, (0, 1), SAME) is None
    assert some.build_outcome(1, (2,), SAME).output_magnitude == 8


def test_without_a_compute_before_only_the_size_is_known():
    outcome = replace(LESSON, previous_steps=[None]).build_outcome(0, (0,), SAME)
    assert outcome.output_magnitude == 2
    assert (outcome.gap, outcome.input_change, outcome.prediction_error, outcome.gaps) == (0, None, None, ())


def test_samples_that_were_told_apart_since_have_what_all_shared():
    shared = replace(LESSON, previous_steps=[(3, 1)])
    assert [shared.build_outcome(sample, (sample,), SAME).gaps for sample in range(3)] == [(2, 2)] * 3
    assert [shared.build_outcome(sample, (sample,), SAME).output_magnitude for sample in range(3)] == [2, 4, 8]


def test_steps_have_the_runs_own_numbers():
    """The engine joined in at step 20, and is called at every other one."""
    outcome = LESSON.build_outcome(0, (0,), lambda local_index: 20 + 2 * local_index)
    assert (outcome.index, outcome.local_index, outcome.gap, outcome.gaps) == (30, 5, 4, (4,))


def test_products_of_moves_are_a_symmetric_table():
    products = {"product 0 0": arrived(4, 0), "product 0 1": arrived(2, 0), "product 1 1": arrived(1, 0)}
    lesson = PendingOutcome(moment(5), "cond", range(2), [(3, 2)], {"output_magnitude": arrived(1, 1), **products})
    assert lesson.build_outcome(0, (0,), SAME).inner_products == ((4, 2), (2, 1))
    assert lesson.build_outcome(0, (0, 1), SAME).inner_products == ((2, 1), (1, 0.5))
    alone = replace(lesson, previous_steps=[(3,)])
    assert alone.build_outcome(0, (0,), SAME).inner_products is None, "one move alone has no product with another"


def test_how_much_of_a_miss_is_missed_again():
    lesson = replace(
        LESSON,
        readings={**READINGS, ERROR_PRODUCT_NAMES[0]: arrived(3, 0, 0), ERROR_PRODUCT_NAMES[1]: arrived(4, 0, 0)},
    )
    assert lesson.build_outcome(0, (0,), SAME).error_correlation == 0.75
    assert lesson.build_outcome(0, (1,), SAME).error_correlation is None, "nothing was missed before"


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_output_is_broken_where_one_of_its_rows_is(bad):
    lesson = replace(LESSON, rows=[0, 2], readings={"output_magnitude": arrived(1, bad)})
    assert [lesson.has_nonfinite_output(sample) for sample in ((0,), (2,), (0, 2), (1,))] == [False, True, True, False]


def test_a_proof_names_the_rows_that_cannot_be_reused():
    assert FiniteCheck("uncond", [1, 3, 4], arrived(1.0, math.nan, math.inf)).find_nonfinite_rows() == {3, 4}
    assert FiniteCheck("uncond", range(2), arrived(0.0, 1.0)).find_nonfinite_rows() == set()
