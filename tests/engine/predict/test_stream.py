"""What is kept of computed steps, and predictions from it, by mental arithmetic."""

import pytest
import torch
from tests.engine.toys.parts import batch, first, rows

from navicache.engine.predict.branches import Branches
from navicache.engine.predict.stream import NOTHING, Keep, Stream
from navicache.engine.tensors.containers import Output
from navicache.engine.tensors.fit import Fit
from navicache.policies import Weights

RESIDUAL, HELD = Weights(1.0, ((-1.0, 1.0),)), Weights(0.0, ((0.0, 1.0),))
LINE = Weights(0.0, ((0.0, 2.0), (0.0, -1.0)))  # one step on from two computes, one apart


def out(*values: float) -> Output:
    return Output(rows(*values), lambda made: made[0])


def stream(*steps, order=1, keep=Keep(), **more) -> Stream:  # noqa: B008
    """A stream that was computed at these steps: pairs of inputs and outputs, a value for each row."""
    made = Stream(order, keep, batch(len(steps[0][0])), **more)
    for index, (inputs, outputs) in enumerate(steps):
        made.remember(rows(*inputs), out(*outputs), None, NOTHING, shared=True)
        made.computed(index, range(len(inputs)))
    return made


@pytest.mark.parametrize(
    ("weights", "expected"),
    [(RESIDUAL, 5 + (20 - 10)), (HELD, 20), (Weights(2.0, ((0.0, 0.5),)), 2 * 5 + 10), (Weights(0.0, ()), 0)],
    ids=["residual", "output", "any sum", "nothing"],
)
def test_a_prediction_is_the_sum_its_weights_say(weights, expected):
    made = stream(((10,), (20,)))
    for _ in range(2):  # the second time what is kept need not be summed again
        assert first(made.predict(rows(5), [weights], Fit())) == [expected]


def test_a_line_through_the_two_newest_outputs():
    made = stream(((1,), (7,)), ((2,), (10,)), ((3,), (14,)), order=2)
    assert first(made.predict(rows(99), [LINE], Fit())) == [18]
    assert len(made.history) == 2
    assert made.history[1][0] == NOTHING, "of older computes no input is kept"
    assert first(stream(((1,), (7,)), ((2,), (10,)), order=2, keeps_inputs=True).history[1][0]) == [1]


def test_older_outputs_come_newest_first():
    made = stream(((1,), (7,)), ((2,), (10,)), ((3,), (14,)), ((4,), (19,)), order=3)
    assert [first(y) for _, y in made.history] == [[19], [14], [10]]


@pytest.mark.parametrize(
    ("how", "kept"),
    [({}, True), ({"order": 2}, False), ({"keep": Keep(torch.bfloat16)}, False)],
    ids=["from reuse to reuse", "weights change at every step", "memory is to be saved"],
)
def test_what_the_kept_steps_contribute_is_kept(how, kept):
    made = stream(((1,), (10,)), **how)
    made.predict(rows(5), [RESIDUAL], Fit())
    assert (made.base is not None) == kept
    made.remember(rows(2), out(20), None, NOTHING, shared=True)
    assert made.base is None, "it was of the step before"


def test_rows_have_weights_of_their_own():
    made = stream(((1, 1), (10, 20)))
    assert first(made.predict(rows(5, 5), [RESIDUAL, HELD], Fit())) == [14, 20]


def test_rows_computed_alone_move_back_alone():
    """Row 1 is computed a third time: its older outputs shift, those of row 0 stay."""
    made = stream(((1, 1), (10, 100)), ((2, 2), (11, 110)), order=2)
    made.remember(rows(3, 3), out(130), [1], NOTHING, shared=True)
    made.computed(2, [1])
    assert [first(y) for _, y in made.history] == [[11, 130], [10, 110]]
    assert made.computed_at == [(1, 0), (2, 1)]
    assert first(made.history[0][0]) == [2, 3]
    assert not made.shared


def test_rows_computed_alone_before_there_is_a_second_step():
    """The row left out has only one output: it stands in both places, and is counted once."""
    made = stream(((1, 1), (10, 100)), order=2)
    made.remember(rows(2, 2), out(120), [1], NOTHING, shared=True)
    made.computed(1, [1])
    assert [first(y) for _, y in made.history] == [[10, 120], [10, 100]]
    assert made.computed_at == [(0,), (1, 0)]


def test_what_was_missed_counts_with_its_weight_until_it_is_forgiven():
    made = stream(((1,), (10,)))
    made.remember(rows(2), out(20), None, rows(4), shared=True)
    amended = Weights(0.0, ((0.0, 1.0),), missed=0.5)
    assert first(made.predict(rows(0), [amended], Fit())) == [22]
    made.forgive()
    assert first(made.predict(rows(0), [amended._replace(input=1.0)], Fit())) == [20]


def test_a_row_that_was_computed_alone_misses_alone():
    made = stream(((1, 1), (10, 100)))
    made.remember(rows(2, 2), out(110), [1], rows(6), shared=True)
    assert first(made.missed) == [0, 6]
    made.remember(rows(3, 3), out(12), [0], rows(5), shared=True)
    assert first(made.missed) == [5, 6], "the other row's stays"


def test_doubt_takes_the_references_of_some_samples():
    made = stream(((1, 1, 1), (10, 20, 30)))
    made.doubt([0, 2])
    assert made.computed_at == [(), (0,), ()]


def test_forget_begins_anew_in_another_form():
    made, branches = stream(((1, 1), (10, 20)), ((2, 2), (11, 22))), Branches(((0, 1),))
    made.forget(branches)
    assert (made.history, made.branches, made.computed_at) == ([], branches, [(), ()])


def test_parted_rows_are_kept_as_differences_and_predicted_whole():
    made = stream(((1, 1), (10, 13)), ((2, 2), (12, 16)), order=2)
    made.part(Branches(((0, 1),)))
    assert [first(y) for _, y in made.history] == [[12, 4], [10, 3]]
    assert first(made.kept(rows(20, 25), None)) == [20, 5]
    assert first(made.predict(rows(0, 0), [LINE, HELD], Fit())) == [14, 14 + 4]
    made.part(None)
    assert [first(y) for _, y in made.history] == [[12, 16], [10, 13]]


def test_kept_in_another_dtype_and_returned_in_the_models_own():
    made = stream(((1,), (1 + 2**-10,)), keep=Keep(torch.bfloat16))
    assert made.history[0][1][0].dtype == torch.bfloat16
    (guess,) = made.predict(rows(5), [HELD], Fit())
    assert (guess.dtype, guess[0, 0].item()) == (torch.float32, 1.0), "rounded"


def test_channels_beyond_the_latent_are_those_of_the_last_compute():
    made = Stream(1, Keep(), batch())
    output = torch.tensor([[10.0, 10.0, 77.0]])
    made.remember(rows(1), Output((output,), tuple), None, NOTHING, shared=True)
    (guess,) = made.predict(rows(5), [RESIDUAL], Fit(1, 2))
    assert guess.tolist() == [[14, 14, 77]]


def test_a_kept_output_is_out_of_the_callers_reach():
    output = rows(10)
    made = Stream(1, Keep(), batch())
    made.remember(rows(1), Output(output, tuple), None, NOTHING, shared=True)
    output[0].zero_()
    (guess,) = made.predict(rows(5), [HELD], Fit())
    assert first((guess,)) == [10]
    guess.zero_()
    assert first(made.predict(rows(5), [HELD], Fit())) == [10]
