"""Which rows are one sample: looked at in the first two steps."""

import pytest
from tests.engine.toys.parts import rows, told_apart

from navicache.engine.tensors.fetch import fetch
from navicache.engine.tracking.batch import Batch


def settled(*steps):
    batch = Batch(len(steps[0]), settled=False)
    for values in steps:
        batch.watch(rows(*values))
    fetch(batch.waiting())
    return batch.settle()


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
    batch = Batch(3, settled=False)
    assert batch.layout == ((0, 1, 2),)
    assert batch.rows_of([0]) is None


def test_where_it_is_settled_nothing_is_asked():
    batch = Batch(3, settled=True)
    batch.watch(rows(1, 2, 3))
    assert batch.waiting() == []


def test_rows_of_some_samples_come_in_order():
    batch = Batch(6, settled=True)
    batch.layout = ((0, 3), (1, 4), (2, 5))
    assert batch.rows_of([2, 0]) == [0, 2, 3, 5]
    assert batch.rows_of([0, 1, 2]) is None, "all of them"


def test_a_look_at_the_same_step_once_more_is_taken_back():
    batch = Batch(2, settled=False)
    batch.watch(rows(1, 1))
    first = batch.waiting()
    batch.watch(rows(1, 1))
    assert len(batch.waiting()) == 2 * len(first)
    batch.take_back()
    assert batch.waiting() == first
    batch.watch(rows(2, 3))
    fetch(batch.waiting())
    assert batch.settle() == ((0,), (1,))


def test_a_look_at_more_than_the_latent_is_made_anew():
    batch = Batch(2, settled=False)
    batch.watch(rows(1, 9))
    batch.watch_again(rows(1, 1))
    fetch(batch.waiting())
    assert batch.settle() == ((0, 1),)


def test_what_samples_share_becomes_each_ones_own_when_they_are_told_apart():
    batch = Batch(3, settled=False)
    early = batch.per_sample("shared")
    assert early == ["shared"]
    told_apart(batch)
    assert (batch.samples, early, batch.per_sample(0)) == (3, ["shared"] * 3, [0] * 3)
    early[1] = "own"
    assert early == ["shared", "own", "shared"]
