"""Rows parted into differences, and joined again."""

import pytest
import torch
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from navicache.engine.predict.branches import Branches
from navicache.engine.tensors.layout import candidates

layouts = st.integers(2, 8).flatmap(lambda rows: st.sampled_from(candidates(rows)))


def whole(layout, seed, listed):
    """Whole numbers, so that nothing is rounded."""
    count = sum(map(len, layout))
    rows = torch.randint(-99, 99, (count, 3, 2), generator=torch.Generator().manual_seed(seed)).float()
    return tuple(rows.split(1)) if listed else (rows,)


def equal(left, right):
    return len(left) == len(right) and all(torch.equal(a, b) for a, b in zip(left, right, strict=True))


@limits(deadline=None)
@given(layout=layouts, seed=st.integers(0, 99), listed=st.booleans())
def test_joined_again_rows_are_what_they_were(layout, seed, listed):
    rows, branches = whole(layout, seed, listed), Branches(layout)
    before = tuple(chunk.clone() for chunk in rows)
    parted = branches.part(rows)
    assert equal(branches.join(parted), rows)
    assert equal(branches.part(branches.join(rows)), rows)
    assert equal(rows, before), "nothing is written in place"
    out, kept = torch.cat(rows), torch.cat(parted)
    for first, *others in layout:
        assert torch.equal(kept[first], out[first])
        assert all(torch.equal(kept[row], out[row] - out[first]) for row in others)


@limits(deadline=None)
@given(layout=layouts, seed=st.integers(0, 99), data=st.data())
def test_among_whole_samples_rows_part_as_among_all(layout, seed, data):
    rows, branches = whole(layout, seed, False), Branches(layout)
    samples = data.draw(st.lists(st.sampled_from(layout), min_size=1, unique=True))
    some = sorted(row for sample in samples for row in sample)
    assert equal(branches.among(some).part((rows[0][some],)), (branches.part(rows)[0][some],))
    assert branches.among(None) is branches
    assert branches.among(range(len(rows[0]))) == branches


@pytest.mark.parametrize(
    ("layout", "pairs"),
    [
        (((0, 2), (1, 3)), [(2, 0), (3, 1)]),
        (((0, 1), (2, 3)), [(1, 0), (3, 2)]),
        (((0, 1, 2),), [(1, 0), (2, 0)]),
        (((0,), (1,)), []),
    ],
)
def test_pairs_by_hand(layout, pairs):
    assert Branches(layout).pairs == pairs
