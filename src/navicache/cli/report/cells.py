"""Figures as cells of a table."""

from dataclasses import replace
from typing import Any

from navicache.records.text_table import UNKNOWN_CELL
from navicache.report.page_model import PageTable, TableCell


def number_cell(value: float | None, form: str = "") -> TableCell:
    """A number, or a dash where it is not known.

    Example:
        >>> number_cell(2.0, ".2f").text, number_cell(2.0).sort, number_cell(None).text
        ('2.00', 2.0, '-')
    """
    return TableCell(UNKNOWN_CELL) if value is None else TableCell(format(value, form), float(value))


def estimate_cell(estimate: Any, form: str, times: float = 1.0) -> TableCell:
    """A mean with its interval."""
    if estimate is None:
        return TableCell(UNKNOWN_CELL)
    mean = number_cell(times * estimate.mean, form)
    if estimate.low is None:
        return mean
    return TableCell(mean.text, mean.sort, f"{times * estimate.low:{form}} … {times * estimate.high:{form}}")


def drop_empty_columns(table: PageTable) -> PageTable:
    """The table without the columns in which nothing is known."""
    columns = zip(*(line.cells for line in table.lines), strict=True)
    kept = [number for number, cells in enumerate(columns) if any(cell.text != UNKNOWN_CELL for cell in cells)]
    lines = (replace(line, cells=tuple(line.cells[number] for number in kept)) for line in table.lines)
    return replace(table, headings=tuple(table.headings[number] for number in kept), lines=tuple(lines))
