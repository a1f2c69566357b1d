"""The section about the paper's table of auxiliary time: timed decisions and calibrations beside the published ones."""

from collections.abc import Sequence

from benchmarks.cost.decision_rows import FIGURES, DecisionRow, Median
from benchmarks.paper.published import CALIBRATION, OVERHEAD, SOURCE
from navicache.cli.report.cells import number_cell
from navicache.records.text_table import UNKNOWN_CELL
from navicache.report.page_model import PageSection, PageTable, TableCell, TableRow
from navicache.report.palette import policy_colour

HEADINGS = ("method", "model", "size", "source", "offline calibration (s)")
HEADINGS += ("a decision (ms)", "between device events (ms)", "after a computed step (ms)")
CALIBRATION_FORM, FORM = ".1f", ".4f"
NOTE = (
    'Measured: medians of steps with their 95 % intervals; nothing is subtracted, and "every step" decides nothing. '
    "A decision lasts from the arguments of a call until it is known whether to compute, the device drained before and "
    "after, over all calls of a step. After a computed step: keeping its output and starting to measure it. "
    "At threshold 0 every step is computed, so each decision learns from the step before, which costs most; Inertial "
    "alone has its default target. Models by the paper's names have random weights, the real size and one block. "
    "Offline calibration: in the same process, of the embedded models, three prompts; "
    f'"{UNKNOWN_CELL}" where no trained model was there to calibrate. '
    f"Published: the table of auxiliary time overhead in {SOURCE}, its seconds in milliseconds, on one RTX 4090 with "
    "batch size 1. It names neither the model nor whether its seconds are of a step or of a video."
)


def overhead_section(rows: Sequence[DecisionRow]) -> PageSection:
    """Every row of the file, then the published ones."""
    machines = ", ".join(dict.fromkeys(f"{row.machine}, torch {row.torch}" for row in rows))
    command = "`python -m benchmarks.cost.decisions`"
    lead = f"Auxiliary time: what comes beside the model's own. {machines}. Command: {command}."
    lines = (*map(_measured_row, rows), *(_published_row(name) for name in OVERHEAD))
    table = PageTable("", HEADINGS, lines, 4, NOTE)
    return PageSection("auxiliary-time", "Auxiliary time", lead, tables=(table,))


def _measured_row(row: DecisionRow) -> TableRow:
    words = map(TableCell, (row.method, row.model, f"{row.size}, {row.dtype}", "measured"))
    figures = (median_cell(getattr(row, name)) for name in FIGURES)
    return TableRow(
        (*words, number_cell(row.calibration_seconds, CALIBRATION_FORM), *figures), colour=policy_colour(row.policy)
    )


def median_cell(found: Median | None) -> TableCell:
    """A median with its interval.

    Example:
        >>> median_cell(Median(0.5, 0.25, 1.0)).spread
        '0.2500 … 1.0000'
    """
    if found is None or found.low is None or found.high is None:
        return number_cell(None if found is None else found.middle, FORM)
    return TableCell(f"{found.middle:{FORM}}", found.middle, f"{found.low:{FORM}} … {found.high:{FORM}}")


def _published_row(name: str) -> TableRow:
    unknown = TableCell(UNKNOWN_CELL)
    cells = (TableCell(name), unknown, unknown, TableCell("published"), number_cell(CALIBRATION[name], ".0f"))
    return TableRow((*cells, number_cell(1e3 * OVERHEAD[name], ".1f"), unknown, unknown), "published")
