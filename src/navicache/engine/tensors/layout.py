"""Which rows of a batched call belong to one sample.

Guidance in one call repeats the latents: `cat([x] * branches)` or interleaved. Branches of one sample keep bit-equal
latents for ever, samples that merely started from the same noise part after the first step; so what still agrees at
the second step is guidance.
"""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from navicache.engine.tensors.rows import Rows, count, same, shapes, take

Layout = tuple[tuple[int, ...], ...]


def by_row(layout: Layout, samples: Sequence[Any], others: Sequence[Sequence[Any]] = ()) -> list[Any]:
    """One value a row: its sample's, or of rows after a sample's first those of `others`; of all rows alike just one.

    Example:
        >>> by_row(((0, 2), (1, 3)), ["a", "b"]), by_row(((0, 2), (1, 3)), ["a", "b"], [["c"], ["d"]])
        (['a', 'b', 'a', 'b'], ['a', 'b', 'c', 'd'])
    """
    if len(layout) == 1 and not any(others):
        return [samples[0]]
    values = [samples[0]] * sum(map(len, layout))
    for number, rows in enumerate(layout):
        own = others[number] if others else ()
        for row, value in zip(rows, [samples[number], *(own or [samples[number]] * (len(rows) - 1))], strict=True):
            values[row] = value
    return values


def candidates(rows: int) -> tuple[Layout, ...]:
    """Ways a batch could be made of guidance branches, most branches first.

    Example:
        >>> candidates(4)
        (((0, 1, 2, 3),), ((0, 2), (1, 3)), ((0, 1), (2, 3)))
    """
    found: list[Layout] = []
    for branches in range(rows, 1, -1):
        if rows % branches == 0:
            samples = rows // branches
            stacked = tuple(tuple(range(s, rows, samples)) for s in range(samples))
            interleaved = tuple(tuple(range(s * branches, (s + 1) * branches)) for s in range(samples))
            found += [stacked] if stacked == interleaved else [stacked, interleaved]
    return tuple(found)


def agreement(latent: Rows) -> list[Tensor]:
    """A device flag for each candidate: 1.0 where the rows of every sample are bit-equal."""
    return [_agrees(latent, layout) for layout in candidates(count(latent))]


def _agrees(latent: Rows, layout: Layout) -> Tensor:
    first = take(latent, [rows[0] for rows in layout])
    flags = []
    for branch in zip(*(rows[1:] for rows in layout), strict=True):
        other = take(latent, branch)
        flags.append(same(first, other) if shapes(first) == shapes(other) else latent[0].new_zeros(1).float())
    flag = flags[0]
    for other in flags[1:]:
        flag = flag * other
    return flag


def settle(rows: int, *flags: list[float]) -> Layout:
    """The first candidate that agreed at every step looked at, or every row for itself.

    Example:
        >>> settle(2, [1.0], [1.0]), settle(2, [1.0], [0.0])
        (((0, 1),), ((0,), (1,)))
    """
    for position, layout in enumerate(candidates(rows)):
        if all(flag[position] for flag in flags):
            return layout
    return tuple((row,) for row in range(rows))
