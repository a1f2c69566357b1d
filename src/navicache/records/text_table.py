"""Columns of numbers as aligned text."""

import math
from collections.abc import Sequence
from typing import NamedTuple

UNKNOWN_CELL = "-"


class TextColumn(NamedTuple):
    """A heading of one or two lines and its cells, right-aligned unless stated."""

    heading: str
    cells: Sequence[str]
    is_left_aligned: bool = False


def format_number_cells(values: Sequence[float | None]) -> list[str]:
    """Format a column so that its decimal points are aligned.

    Four digits for the largest number; three digits for each if the smallest would keep fewer than two.

    Example:
        >>> [format_number_cells(column) for column in ([4.5, 0.81234, None], [1000, 20], [999.3, 0.04])]
        [['4.500', '0.812', '-'], ['1000', '20'], ['999', '0.0400']]
    """
    sizes = [abs(float(value)) for value in values if value and math.isfinite(value)]
    if all(size.is_integer() and size < 1e6 for size in sizes):
        return [UNKNOWN_CELL if value is None else f"{value:.0f}" for value in values]
    decimals = _count_decimals(max(sizes), 4)
    if max(sizes) >= 1e6 or min(sizes) < 10 ** (1 - decimals):
        return [UNKNOWN_CELL if value is None else _format_three_digits(value) for value in values]
    return [UNKNOWN_CELL if value is None else f"{value:.{decimals}f}" for value in values]


def _format_three_digits(value: float) -> str:
    if not math.isfinite(value) or not value:
        return f"{value:.0f}"
    size = abs(value)
    return f"{value:.{_count_decimals(size, 3)}f}" if 1e-4 <= size < 1e6 else f"{value:.2e}"


def _count_decimals(magnitude: float, digits: int) -> int:
    return max(0, digits - 1 - math.floor(math.log10(magnitude)))


def format_table_lines(columns: Sequence[TextColumn]) -> list[str]:
    """The table's lines: heading, rule, rows.

    Example:
        >>> why = TextColumn("why", ["align", "gate"], is_left_aligned=True)
        >>> for line in format_table_lines([TextColumn("step", ["8", "9"]), why]):
        ...     print(line)
        step  why
        ----  -----
           8  align
           9  gate
    """
    height = max(column.heading.count("\n") for column in columns) + 1
    lines = (_format_column_lines(column, height) for column in columns)
    return ["  ".join(parts).rstrip() for parts in zip(*lines, strict=True)]


def _format_column_lines(column: TextColumn, height: int) -> list[str]:
    heading = column.heading.split("\n")
    heading += [""] * (height - len(heading))
    width = max(map(len, [*heading, *column.cells]))
    lines = [*heading, "-" * width, *column.cells]
    return [line.ljust(width) if column.is_left_aligned else line.rjust(width) for line in lines]
