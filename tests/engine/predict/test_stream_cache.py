"""What is kept of computed steps, and predictions from it, by mental arithmetic."""

import pytest
import torch
from tests.engine.toys.parts import batch, first, rows

from navicache.engine.predict.branch_differences import BranchDifferences
from navicache.engine.predict.storage_options import StorageOptions
from navicache.engine.predict.stream_cache import StreamCache
from navicache.engine.tensors.rows import NO_ROWS
from navicache.engine.tensors.shared_channels import SharedChannels
from navicache.policies import PredictionWeights

RESIDUAL, HELD = PredictionWeights(1.0, ((-1.0, 1.0),)), PredictionWeights(0.0, ((0.0, 1.0),))
LINE = PredictionWeights(0.0, ((0.0, 2.0), (0.0, -1.0)))  # one step on from two computes, one apart


def stream(*steps, order=1, keep=StorageOptions(), **more) -> StreamCache:  # noqa: B008
    """A stream that was computed at these steps: pairs of inputs and outputs, a value for each row."""
    made = StreamCache(order, keep, batch(len(steps[0][0])), **more)
    for index, (inputs, outputs) in enumerate(steps):
        made.store_step(rows(*inputs), rows(*outputs), None, NO_ROWS, shares_latent=True)
        made.mark_computed(index, range(len(inputs)))
    return made


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (RESIDUAL, 5 + (20 - 10)),
        (HELD, 20),
        (PredictionWeights(2.0, ((0.0, 0.5),)), 2 * 5 + 10),
        (PredictionWeights(0.0, ()), 0),
    ],
    ids=["residual", "output", "any sum", "nothing"],
)
def test_a_prediction_is_the_sum_its_weights_say(weights, expected):
    made = stream(((10,), (20,)))
    for _ in range(2):  # the second time what is kept need not be summed again
        assert first(made.predict_output(rows(5), [weights], SharedChannels())) == [expected]


def test_a_line_through_the_two_newest_outputs():
    made = stream(((1,), (7,)), ((2,), (10,)), ((3,), (14,)), order=2)
    assert first(made.predict_output(rows(99), [LINE], SharedChannels())) == [18]
    assert len(made.history) == 2
    assert made.history[1][0] == NO_ROWS, "of older computes no input is kept"
    assert first(stream(((1,), (7,)), ((2,), (10,)), order=2, keeps_past_inputs=True).history[1][0]) == [1]


def test_older_outputs_come_newest_first():
    made = stream(((1,), (7,)), ((2,), (10,)), ((3,), (14,)), ((4,), (19,)), order=3)
    assert [first(y) for _, y in made.history] == [[19], [14], [10]]


@pytest.mark.parametrize(
    ("how", "kept"),
    [({}, True), ({"order": 2}, False), ({"keep": StorageOptions(torch.bfloat16)}, False)],
    ids=["from reuse to reuse", "weights change at every step", "memory is to be saved"],
)
def test_what_the_kept_steps_contribute_is_kept(how, kept):
    made = stream(((1,), (10,)), **how)
    made.predict_output(rows(5), [RESIDUAL], SharedChannels())
    assert (made.base is not None) == kept
    made.store_step(rows(2), rows(20), None, NO_ROWS, shares_latent=True)
    assert made.base is None, "it was of the step before"


def test_rows_have_weights_of_their_own():
    made = stream(((1, 1), (10, 20)))
    assert first(made.predict_output(rows(5, 5), [RESIDUAL, HELD], SharedChannels())) == [14, 20]


def test_rows_computed_alone_move_back_alone():
    """Row 1 is computed a third time: its older outputs shift, those of row 0 stay."""
    made = stream(((1, 1), (10, 100)), ((2, 2), (11, 110)), order=2)
    made.store_step(rows(3, 3), rows(130), [1], NO_ROWS, shares_latent=True)
    made.mark_computed(2, [1])
    assert [first(y) for _, y in made.history] == [[11, 130], [10, 110]]
    assert made.computed_steps == [(1, 0), (2, 1)]
    assert first(made.history[0][0]) == [2, 3]
    assert not made.shares_latent


def test_rows_computed_alone_before_there_is_a_second_step():
    """The row left out has only one output: it stands in both places, and is counted once."""
    made = stream(((1, 1), (10, 100)), order=2)
    made.store_step(rows(2, 2), rows(120), [1], NO_ROWS, shares_latent=True)
    made.mark_computed(1, [1])
    assert [first(y) for _, y in made.history] == [[10, 120], [10, 100]]
    assert made.computed_steps == [(0,), (1, 0)]


def test_what_was_missed_counts_with_its_weight_until_it_is_forgiven():
    made = stream(((1,), (10,)))
    made.store_step(rows(2), rows(20), None, rows(4), shares_latent=True)
    amended = PredictionWeights(0.0, ((0.0, 1.0),), error_weight=0.5)
    assert first(made.predict_output(rows(0), [amended], SharedChannels())) == [22]
    made.clear_last_error()
    assert first(made.predict_output(rows(0), [amended._replace(input=1.0)], SharedChannels())) == [20]


def test_a_row_that_was_computed_alone_misses_alone():
    made = stream(((1, 1), (10, 100)))
    made.store_step(rows(2, 2), rows(110), [1], rows(6), shares_latent=True)
    assert first(made.last_error) == [0, 6]
    made.store_step(rows(3, 3), rows(12), [0], rows(5), shares_latent=True)
    assert first(made.last_error) == [5, 6], "the other row's stays"


def test_doubt_takes_the_references_of_some_samples():
    made = stream(((1, 1, 1), (10, 20, 30)))
    made.drop_references([0, 2])
    assert made.computed_steps == [(), (0,), ()]


def test_forget_begins_anew_in_another_form():
    made, branches = stream(((1, 1), (10, 20)), ((2, 2), (11, 22))), BranchDifferences(((0, 1),))
    made.clear_history_and_switch_form(branches)
    assert (made.history, made.branch_differences, made.computed_steps) == ([], branches, [(), ()])


def test_parted_rows_are_kept_as_differences_and_predicted_whole():
    made = stream(((1, 1), (10, 13)), ((2, 2), (12, 16)), order=2)
    made.set_branch_differences(BranchDifferences(((0, 1),)))
    assert [first(y) for _, y in made.history] == [[12, 4], [10, 3]]
    assert first(made.encode_rows(rows(20, 25), None)) == [20, 5]
    assert first(made.predict_output(rows(0, 0), [LINE, HELD], SharedChannels())) == [14, 14 + 4]
    made.set_branch_differences(None)
    assert [first(y) for _, y in made.history] == [[12, 16], [10, 13]]


def test_kept_in_another_dtype_and_returned_in_the_models_own():
    made = stream(((1,), (1 + 2**-10,)), keep=StorageOptions(torch.bfloat16))
    assert made.history[0][1][0].dtype == torch.bfloat16
    (guess,) = made.predict_output(rows(5), [HELD], SharedChannels())
    assert (guess.dtype, guess[0, 0].item()) == (torch.float32, 1.0), "rounded"


def test_channels_beyond_the_latent_are_those_of_the_last_compute():
    made = StreamCache(1, StorageOptions(), batch())
    output = torch.tensor([[10.0, 10.0, 77.0]])
    made.store_step(rows(1), (output,), None, NO_ROWS, shares_latent=True)
    (guess,) = made.predict_output(rows(5), [RESIDUAL], SharedChannels(1, 2))
    assert guess.tolist() == [[14, 14, 77]]


def test_a_kept_output_is_out_of_the_callers_reach():
    output = rows(10)
    made = StreamCache(1, StorageOptions(), batch())
    made.store_step(rows(1), output, None, NO_ROWS, shares_latent=True)
    output[0].zero_()
    (guess,) = made.predict_output(rows(5), [HELD], SharedChannels())
    assert first((guess,)) == [10]
    guess.zero_()
    assert first(made.predict_output(rows(5), [HELD], SharedChannels())) == [10]
