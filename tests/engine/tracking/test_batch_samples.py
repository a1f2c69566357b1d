"""Which rows are one sample: looked at in the first two steps."""

import pytest
from tests.engine.toys.parts import rows, told_apart

from navicache.engine.tensors.device_readings import fetch_readings
from navicache.engine.tracking.batch_samples import BatchSamples


def settled(*steps):
    batch = BatchSamples(len(steps[0]), is_layout_known=False)
    for values in steps:
        batch.queue_layout_check(rows(*values))
    fetch_readings(batch.list_pending_readings())
    return batch.resolve_layout()


@pytest.mark.parametrize(
    ("steps", "layout"),
    [
        (((1, 1), (2, 2)), ((0, 1),)),
        (((1, 1), (2, 3)), ((0,), (1,))),
        (((1, 2), (2, 3)), ((0,), (1,))),
        (((1, 2, 1, 2), (3, 4, 3, 4)), ((0, 2), (1, 3))),
        (((1, 1, 2, 2), (3, 3, 4, 4)), ((0, 1), (2, 3))),
        (((1, 1, 1, 1), (3, 4, 3, 4)), ((0, 2), (1, 3))),
    ],
    ids=["branches", "the same noise", "two samples", "stacked", "interleaved", "the same noise, with branches"],
)
def test_rows_whose_latents_are_bit_equal_at_the_first_two_steps_are_branches_of_one_sample(steps, layout):
    assert settled(*steps) == layout


def test_all_rows_are_one_sample_until_more_is_known():
    batch = BatchSamples(3, is_layout_known=False)
    assert batch.layout == ((0, 1, 2),)
    assert batch.select_rows([0]) is None


def test_where_it_is_settled_nothing_is_asked():
    batch = BatchSamples(3, is_layout_known=True)
    batch.queue_layout_check(rows(1, 2, 3))
    assert batch.list_pending_readings() == []


def test_rows_of_some_samples_come_in_order():
    batch = BatchSamples(6, is_layout_known=True)
    batch.layout = ((0, 3), (1, 4), (2, 5))
    assert batch.select_rows([2, 0]) == [0, 2, 3, 5]
    assert batch.select_rows([0, 1, 2]) is None, "all of them"


def test_a_look_at_the_same_step_once_more_is_taken_back():
    batch = BatchSamples(2, is_layout_known=False)
    batch.queue_layout_check(rows(1, 1))
    first = batch.list_pending_readings()
    batch.queue_layout_check(rows(1, 1))
    assert len(batch.list_pending_readings()) == 2 * len(first)
    batch.discard_second_check()
    assert batch.list_pending_readings() == first
    batch.queue_layout_check(rows(2, 3))
    fetch_readings(batch.list_pending_readings())
    assert batch.resolve_layout() == ((0,), (1,))


def test_a_look_at_more_than_the_latent_is_made_anew():
    batch = BatchSamples(2, is_layout_known=False)
    batch.queue_layout_check(rows(1, 9))
    batch.restart_layout_check(rows(1, 1))
    fetch_readings(batch.list_pending_readings())
    assert batch.resolve_layout() == ((0, 1),)


def test_what_samples_share_becomes_each_ones_own_when_they_are_told_apart():
    batch = BatchSamples(3, is_layout_known=False)
    early = batch.create_sample_list("shared")
    assert early == ["shared"]
    told_apart(batch)
    assert (batch.sample_count, early, batch.create_sample_list(0)) == (3, ["shared"] * 3, [0] * 3)
    early[1] = "own"
    assert early == ["shared", "own", "shared"]
