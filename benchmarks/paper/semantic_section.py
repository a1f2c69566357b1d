"""The section about what the videos still show, in the place of VBench's semantic score."""

from collections.abc import Sequence

from benchmarks.paper.semantic_rows import ATTRIBUTES, RightShare, SemanticRow
from navicache.cli.report.cells import number_cell
from navicache.records.text_table import UNKNOWN_CELL
from navicache.report.page_model import PageSection, PageTable, TableCell, TableRow
from navicache.report.palette import policy_colour

HEADINGS = ("setting", "decides for", "videos", "computed (%)", *(f"{name} (%)" for name in ATTRIBUTES))
FORM = ".1f"
LEAD = (
    "Share of videos whose first object, its colour, its motion and the background are those of the caption, as the "
    "reader of the embedded world sees them by rules; VBench's semantic score knows no such world. Command: "
    "`python -m benchmarks.paper.semantics plans/pocket/table1.toml`."
)
NOTE = (
    "Small figures are Wilson's 95 % intervals. A motion counts where the caption names a direction, an object where a "
    'frame shows it whole. "all": everything that counts is right. "as plain": all four readings are those of the '
    "video without a cache. baseline: without a cache. rendered: the captions drawn by the world itself at this size, "
    'which is what the reader can tell. Decides for "call": one decision for all prompts of a call, where one prompt '
    "alone might compute other steps."
)


def semantic_section(rows: Sequence[SemanticRow]) -> PageSection:
    """A table for each model, with every row of the file."""
    models = dict.fromkeys(row.model for row in rows)
    tables = tuple(
        PageTable(model, HEADINGS, tuple(_table_row(row) for row in rows if row.model == model), 2, NOTE)
        for model in models
    )
    machines = ", ".join(dict.fromkeys(row.machine for row in rows))
    return PageSection("semantics", "What the videos show", f"{LEAD} {machines}.", tables=tables)


def _table_row(row: SemanticRow) -> TableRow:
    computed = number_cell(None if row.computed is None else 100 * row.computed, FORM)
    shares = (share_cell(row.shares[name]) for name in ATTRIBUTES)
    cells = (TableCell(row.setting), TableCell(row.decides), number_cell(row.videos), computed, *shares)
    return TableRow(cells, colour=policy_colour(row.policy))


def share_cell(found: RightShare) -> TableCell:
    """A share in percent with its interval.

    Example:
        >>> share_cell(RightShare(1, 2))
        TableCell(text='50.0', sort=50.0, spread='9.5 … 90.5', tone='')
    """
    if found.share is None or found.interval is None:
        return TableCell(UNKNOWN_CELL)
    low, high = (100 * end for end in found.interval)
    return TableCell(f"{100 * found.share:{FORM}}", 100 * found.share, f"{low:{FORM}} … {high:{FORM}}")
