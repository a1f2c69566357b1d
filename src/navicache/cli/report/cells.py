"""Figures as cells of a table."""

from dataclasses import replace
from typing import Any

from navicache.records.text_table import UNKNOWN_CELL
from navicache.report.page_model import Cell, Table


def words(text: str) -> Cell:
    """A text."""
    return Cell(text)


def number(value: float | None, form: str = "") -> Cell:
    """A number, or a dash where it is not known.

    Example:
        >>> number(2.0, ".2f").text, number(2.0).sort, number(None).text
        ('2.00', 2.0, '-')
    """
    return Cell(UNKNOWN_CELL) if value is None else Cell(format(value, form), float(value))


def figure_cell(estimate: Any, form: str, times: float = 1.0) -> Cell:
    """A mean with its interval."""
    if estimate is None:
        return Cell(UNKNOWN_CELL)
    mean = number(times * estimate.mean, form)
    if estimate.low is None:
        return mean
    return Cell(mean.text, mean.sort, f"{times * estimate.low:{form}} … {times * estimate.high:{form}}")


def without_empty(table: Table) -> Table:
    """The table without the columns in which nothing is known."""
    columns = zip(*(line.cells for line in table.lines), strict=True)
    kept = [number for number, cells in enumerate(columns) if any(cell.text != UNKNOWN_CELL for cell in cells)]
    lines = (replace(line, cells=tuple(line.cells[number] for number in kept)) for line in table.lines)
    return replace(table, headings=tuple(table.headings[number] for number in kept), lines=tuple(lines))
