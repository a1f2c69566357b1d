"""Figures as cells of a table."""

from typing import Any

from navicache.records.table import UNKNOWN
from navicache.report.page_model import Cell


def words(text: str) -> Cell:
    """A text."""
    return Cell(text)


def number(value: float | None, form: str = "") -> Cell:
    """A number, or a dash where it is not known.

    Example:
        >>> number(2.0, ".2f"), number(None)
        (Cell(text='2.00', sort=2.0, spread=''), Cell(text='-', sort=None, spread=''))
    """
    return Cell(UNKNOWN) if value is None else Cell(format(value, form), float(value))


def figure_cell(estimate: Any, form: str, times: float = 1.0) -> Cell:
    """A mean with its interval."""
    if estimate is None:
        return Cell(UNKNOWN)
    mean = number(times * estimate.mean, form)
    if estimate.low is None:
        return mean
    return Cell(mean.text, mean.sort, f"{times * estimate.low:{form}} … {times * estimate.high:{form}}")
