"""The table of all settings, one for each model."""

from collections.abc import Sequence

from navicache.cli.report.cells import drop_empty_columns, estimate_cell, number_cell
from navicache.cli.report.results import BenchResults
from navicache.evaluation.bench.summaries import SettingSummary
from navicache.report.page_model import PageSection, PageTable, TableCell, TableRow
from navicache.report.palette import policy_colour

QUALITY = {"psnr": ".2f", "ssim": ".4f", "lpips": ".4f"}
TIME_HEADINGS = {
    "loop_speedup": "loop speed-up",
    "speedup": "speed-up",
    "cpu_speedup": "in CPU time",
    "loop_seconds": "loop seconds",
    "seconds": "seconds",
}
HEADINGS = (
    *("setting", "condition", "source", "runs", "computed", "steps allow", *TIME_HEADINGS.values()),
    *("PSNR", "SSIM", "LPIPS", "VBench %", "peak GB"),
)


def settings_section(results: BenchResults) -> PageSection:
    """Every setting that was measured."""
    tables = [settings_table(results, model, title) for model, title in model_titles(results).items()]
    return table_section(tables)


def table_section(tables: Sequence[PageTable]) -> PageSection:
    """The section of these tables."""
    text = "Click a heading to sort. What the steps allow is the speed-up if reusing were free."
    return PageSection("table", "All settings", text, tables=tuple(tables))


def model_titles(results: BenchResults) -> dict[str, str]:
    """Every model with the title of its table: a single one needs none."""
    models = dict.fromkeys(summary.place[0] for summary in results.summaries)
    return {model: model if len(models) > 1 else "" for model in models}


def settings_table(
    results: BenchResults, model: str, title: str, more: Sequence[TableRow] = (), note: str = ""
) -> PageTable:
    """The settings of one model, and lines from elsewhere below them."""
    own = [summary for summary in results.summaries if summary.place[0] == model]
    several = len({summary.place[1] for summary in own}) > 1
    lines = [_measured_row(results, summary, summary.place[1] if several else "-") for summary in own]
    note += "".join(f" Not possible: {reason}." for reason in results.refused if f" on {model}: " in reason)
    return drop_empty_columns(PageTable(title, HEADINGS, (*lines, *more), 2 + several, note))


def _measured_row(results: BenchResults, summary: SettingSummary, condition: str) -> TableRow:
    figures, memory = summary.figures, summary.mean("peak_memory")
    cells = (
        TableCell("no cache" if summary.first["kind"] == "baseline" else summary.place[2]),
        TableCell(condition),
        TableCell("measured"),
        number_cell(len(summary.rows), "d"),
        number_cell(summary.mean("computed"), ".1f"),
        number_cell(summary.mean("allowed"), ".2f"),
        *(estimate_cell(figures.get(name), ".2f") for name in TIME_HEADINGS),
        *(estimate_cell(figures.get(name), form) for name, form in QUALITY.items()),
        number_cell(results.vbench_total(summary), ".2f"),
        number_cell(None if memory is None else memory / 1e9, ".2f"),
    )
    return TableRow(cells, colour=policy_colour(summary.first["policy"]))
