"""Which rows of a batched call belong to one sample.

Guidance in one call repeats the latents: `cat([x] * branches)` or interleaved. Branches of one sample keep bit-equal
latents for ever, samples that merely started from the same noise part after the first step; so what still agrees at
the second step is guidance.
"""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from navicache.engine.tensors.rows import Rows, compare_values, count_rows, list_shapes, take_rows

SampleLayout = tuple[tuple[int, ...], ...]


def expand_to_rows(
    layout: SampleLayout, sample_values: Sequence[Any], other_row_values: Sequence[Sequence[Any]] = ()
) -> list[Any]:
    """Expand values per sample to one per row; rows after a sample's first may have values of their own.

    Example:
        >>> expand_to_rows(((0, 2), (1, 3)), ["a", "b"]), expand_to_rows(((0, 2), (1, 3)), ["a", "b"], [["c"], ["d"]])
        (['a', 'b', 'a', 'b'], ['a', 'b', 'c', 'd'])
    """
    if len(layout) == 1 and not any(other_row_values):
        return [sample_values[0]]
    values = [sample_values[0]] * sum(map(len, layout))
    for number, rows in enumerate(layout):
        own = other_row_values[number] if other_row_values else ()
        others = own or [sample_values[number]] * (len(rows) - 1)
        for row, value in zip(rows, [sample_values[number], *others], strict=True):
            values[row] = value
    return values


def list_layouts(row_count: int) -> tuple[SampleLayout, ...]:
    """Ways a batch could be made of guidance branches, most branches first.

    Example:
        >>> list_layouts(4)
        (((0, 1, 2, 3),), ((0, 2), (1, 3)), ((0, 1), (2, 3)))
    """
    found: list[SampleLayout] = []
    for branches in range(row_count, 1, -1):
        if row_count % branches == 0:
            samples = row_count // branches
            stacked = tuple(tuple(range(s, row_count, samples)) for s in range(samples))
            interleaved = tuple(tuple(range(s * branches, (s + 1) * branches)) for s in range(samples))
            found += [stacked] if stacked == interleaved else [stacked, interleaved]
    return tuple(found)


def compare_layouts(latent: Rows) -> list[Tensor]:
    """A device flag for each candidate: 1.0 where the rows of every sample are bit-equal."""
    return [_compare_sample_rows(latent, layout) for layout in list_layouts(count_rows(latent))]


def _compare_sample_rows(latent: Rows, layout: SampleLayout) -> Tensor:
    first = take_rows(latent, [rows[0] for rows in layout])
    flags = []
    for branch in zip(*(rows[1:] for rows in layout), strict=True):
        other = take_rows(latent, branch)
        is_alike = list_shapes(first) == list_shapes(other)
        flags.append(compare_values(first, other) if is_alike else latent[0].new_zeros(1).float())
    flag = flags[0]
    for other in flags[1:]:
        flag = flag * other
    return flag


def choose_layout(row_count: int, *flags: list[float]) -> SampleLayout:
    """The first candidate that agreed at every step looked at, or every row for itself.

    Example:
        >>> choose_layout(2, [1.0], [1.0]), choose_layout(2, [1.0], [0.0])
        (((0, 1),), ((0,), (1,)))
    """
    for position, layout in enumerate(list_layouts(row_count)):
        if all(flag[position] for flag in flags):
            return layout
    return tuple((row,) for row in range(row_count))
