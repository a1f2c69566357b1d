"""An output of one stream as it was computed last, returned while it is not known to move or cannot be predicted."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from navicache.engine.tensors.rows import NO_ROWS, Rows, clone_rows, count_rows, move_rows

PREDICTED_DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)

RowFormat = tuple[torch.Size, torch.dtype, torch.device]


@dataclass
class HeldOutput:
    """The newest value of an output, and what is known of it."""

    row_formats: list[RowFormat]  # of the newest value: one for all rows, or one each
    is_fixed: bool  # it is held for the rest of the run
    has_moved: bool  # it is known to differ from compute to compute
    was_finite: bool = False  # at one compute at least
    rows: Rows = ()  # nothing while predictions take their place

    def set_rows(self, output: Rows, device: torch.device | None) -> None:
        """Hold a copy of this output, on that device."""
        self.rows, self.row_formats = move_rows(clone_rows(output), device, None), list_row_formats(output)

    def get_rows(self) -> Rows:
        """A copy as the model would return it, which the caller may write to."""
        return clone_rows(move_rows(self.rows, self.row_formats[0][2], None))

    def has_format_of(self, output: Rows, row_count: int, rows: Sequence[int] | None) -> bool:
        """Whether an output, of these rows or of all, is built as the newest value."""
        known = self.row_formats
        expected = known if rows is None or len(known) == 1 else [known[row] for row in rows]
        return count_rows(output) == (row_count if rows is None else len(rows)) and list_row_formats(output) == expected

    def fix(self, output: Rows) -> None:
        """Hold for the rest of the run; until the next compute the newest value is this one."""
        self.rows, self.is_fixed = output, True

    def mark_moved(self) -> None:
        """From here on it is predicted."""
        self.rows, self.has_moved = NO_ROWS, True

    def mark_finite(self) -> None:
        """It was finite at a compute."""
        self.was_finite = True


def can_predict_dtype(output: Rows) -> bool:
    """Whether an output is of numbers with a fraction: masks and counts are held."""
    return all(chunk.dtype in PREDICTED_DTYPES and chunk.layout == torch.strided and chunk.numel() for chunk in output)


def list_row_formats(output: Rows) -> list[RowFormat]:
    """How rows are built: for all of them, or each."""
    return [(chunk.shape[1:], chunk.dtype, chunk.device) for chunk in output]
