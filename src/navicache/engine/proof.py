"""What a follower computed teaches nothing, but NaN or infinity must not be reused."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from navicache.engine.fetch import Reading


class Proof(NamedTuple):
    """The size of an output, row by row; it crosses with the next decision."""

    stream: str
    rows: Sequence[int]
    size: Reading

    def broken(self) -> set[int]:
        """The rows that cannot be reused."""
        return {row for row, size in zip(self.rows, self.size.values, strict=True) if not math.isfinite(size)}
