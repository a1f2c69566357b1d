"""Guidance branches in one call: every row of a sample but the first is kept as its difference from that one.

So one call and several make the same run: the first branch is carried on along its course, each other one along the
course of its own difference, which guidance multiplies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from navicache.engine.tensors.rows import Rows, create_index_tensor
from navicache.engine.tensors.sample_layout import SampleLayout


@dataclass(frozen=True)
class BranchDifferences:
    """Which rows differ from which."""

    layout: SampleLayout

    @property
    def difference_pairs(self) -> list[tuple[int, int]]:
        """Rows that are differences, each with the row it differs from.

        Example:
            >>> BranchDifferences(((0, 2), (1, 3))).difference_pairs
            [(2, 0), (3, 1)]
        """
        return [(row, sample[0]) for sample in self.layout for row in sample[1:]]

    def restrict_to_rows(self, rows: Sequence[int] | None) -> "BranchDifferences":
        """The same in a tensor of some of the rows, which are whole samples; None for all of them.

        Example:
            >>> BranchDifferences(((0, 2), (1, 3))).restrict_to_rows([1, 3]).difference_pairs
            [(1, 0)]
        """
        if rows is None:
            return self
        places = {row: place for place, row in enumerate(rows)}
        samples = (sample for sample in self.layout if sample[0] in places)
        return BranchDifferences(tuple(tuple(places[row] for row in sample) for sample in samples))

    def to_differences(self, rows: Rows) -> Rows:
        """Outputs as they are kept."""
        return self._add_first_branch(rows, -1)

    def from_differences(self, rows: Rows) -> Rows:
        """Outputs again, from what is kept."""
        return self._add_first_branch(rows, 1)

    def _add_first_branch(self, rows: Rows, sign: int) -> Rows:
        pairs, (chunk, *others) = self.difference_pairs, rows
        if others:
            lead = dict(pairs)
            return tuple(row + sign * rows[lead[i]] if i in lead else row for i, row in enumerate(rows))
        follow, lead = (create_index_tensor(side, chunk.device) for side in zip(*pairs, strict=True))
        return (chunk.index_copy(0, follow, chunk[follow] + sign * chunk[lead]),)
