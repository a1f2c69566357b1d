"""Figures for a terminal."""

from collections.abc import Sequence


def table(rows: Sequence[tuple[str, ...]]) -> None:
    """Print columns of equal width, the first row above a line.

    Example:
        >>> table([("what", "latents"), ("one stream", "4.00")])
        what        latents
        ----------  -------
        one stream  4.00
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for position, row in enumerate(rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if position == 0:
            print("  ".join("-" * width for width in widths))
