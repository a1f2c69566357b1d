"""Rows parted into differences, and joined again."""

import pytest
import torch
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from navicache.engine.predict.branch_differences import BranchDifferences
from navicache.engine.tensors.sample_layout import list_layouts

layouts = st.integers(2, 8).flatmap(lambda rows: st.sampled_from(list_layouts(rows)))


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
    rows, branches = whole(layout, seed, listed), BranchDifferences(layout)
    before = tuple(chunk.clone() for chunk in rows)
    parted = branches.to_differences(rows)
    assert equal(branches.from_differences(parted), rows)
    assert equal(branches.to_differences(branches.from_differences(rows)), rows)
    assert equal(rows, before), "nothing is written in place"
    out, kept = torch.cat(rows), torch.cat(parted)
    for first, *others in layout:
        assert torch.equal(kept[first], out[first])
        assert all(torch.equal(kept[row], out[row] - out[first]) for row in others)


@limits(deadline=None)
@given(layout=layouts, seed=st.integers(0, 99), data=st.data())
def test_among_whole_samples_rows_part_as_among_all(layout, seed, data):
    rows, branches = whole(layout, seed, False), BranchDifferences(layout)
    samples = data.draw(st.lists(st.sampled_from(layout), min_size=1, unique=True))
    some = sorted(row for sample in samples for row in sample)
    assert equal(
        branches.restrict_to_rows(some).to_differences((rows[0][some],)), (branches.to_differences(rows)[0][some],)
    )
    assert branches.restrict_to_rows(None) is branches
    assert branches.restrict_to_rows(range(len(rows[0]))) == branches


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
    assert BranchDifferences(layout).difference_pairs == pairs
