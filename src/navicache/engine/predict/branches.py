"""Guidance branches in one call: every row of a sample but the first is kept as its difference from that one.

So one call and several make the same run: the first branch is carried on along its course, each other one along the
course of its own difference, which guidance multiplies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from navicache.engine.tensors.layout import Layout
from navicache.engine.tensors.rows import Rows, index_tensor


@dataclass(frozen=True)
class Branches:
    """Which rows differ from which."""

    layout: Layout

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Rows that are differences, each with the row it differs from.

        Example:
            >>> Branches(((0, 2), (1, 3))).pairs
            [(2, 0), (3, 1)]
        """
        return [(row, sample[0]) for sample in self.layout for row in sample[1:]]

    def among(self, rows: Sequence[int] | None) -> "Branches":
        """The same in a tensor of some of the rows, which are whole samples; None for all of them.

        Example:
            >>> Branches(((0, 2), (1, 3))).among([1, 3]).pairs
            [(1, 0)]
        """
        if rows is None:
            return self
        places = {row: place for place, row in enumerate(rows)}
        return Branches(tuple(tuple(places[row] for row in sample) for sample in self.layout if sample[0] in places))

    def part(self, rows: Rows) -> Rows:
        """Outputs as they are kept."""
        return self._changed(rows, -1)

    def join(self, rows: Rows) -> Rows:
        """Outputs again, from what is kept."""
        return self._changed(rows, 1)

    def _changed(self, rows: Rows, sign: int) -> Rows:
        pairs, (chunk, *others) = self.pairs, rows
        if others:
            lead = dict(pairs)
            return tuple(row + sign * rows[lead[i]] if i in lead else row for i, row in enumerate(rows))
        follow, lead = (index_tensor(side, chunk.device) for side in zip(*pairs, strict=True))
        return (chunk.index_copy(0, follow, chunk[follow] + sign * chunk[lead]),)
