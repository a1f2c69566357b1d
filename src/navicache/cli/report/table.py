"""The table of all settings, one for each model."""

from collections.abc import Sequence

from navicache.cli.report.cells import figure_cell, number, without_empty, words
from navicache.cli.report.results import Results
from navicache.evaluation.bench.study import Summary
from navicache.report.page_model import Line, Section, Table
from navicache.report.palette import colour

QUALITY = {"psnr": ".2f", "ssim": ".4f", "lpips": ".4f"}
SHORT = {
    "loop_seconds": "loop seconds",
    "loop_speedup": "loop speed-up",
    "seconds": "seconds",
    "speedup": "speed-up",
    "cpu_speedup": "in CPU time",
}
HEADINGS = (
    *("setting", "condition", "source", "runs", "computed", "steps allow", "PSNR", "SSIM", "LPIPS", "VBench %"),
    *(*SHORT.values(), "peak GB"),
)


def main_table(results: Results) -> Section:
    """Every setting that was measured."""
    tables = [settings_table(results, model, title) for model, title in model_titles(results).items()]
    return table_section(tables)


def table_section(tables: Sequence[Table]) -> Section:
    """The section of these tables."""
    text = "Click a heading to sort. What the steps allow is the speed-up if reusing were free."
    return Section("table", "All settings", text, tables=tuple(tables))


def model_titles(results: Results) -> dict[str, str]:
    """Every model with the title of its table: a single one needs none."""
    models = dict.fromkeys(summary.place[0] for summary in results.summaries)
    return {model: model if len(models) > 1 else "" for model in models}


def settings_table(results: Results, model: str, title: str, more: Sequence[Line] = (), note: str = "") -> Table:
    """The settings of one model, and lines from elsewhere below them."""
    own = [summary for summary in results.summaries if summary.place[0] == model]
    several = len({summary.place[1] for summary in own}) > 1
    lines = [_measured(results, summary, summary.place[1] if several else "-") for summary in own]
    note += "".join(f" Not possible: {reason}." for reason in results.refused if f" on {model}: " in reason)
    return without_empty(Table(title, HEADINGS, (*lines, *more), 2 + several, note))


def _measured(results: Results, summary: Summary, condition: str) -> Line:
    figures, memory = summary.figures, summary.mean("peak_memory")
    cells = (
        words("no cache" if summary.first["kind"] == "baseline" else summary.place[2]),
        words(condition),
        words("measured"),
        number(len(summary.rows), "d"),
        number(summary.mean("computed"), ".1f"),
        number(summary.mean("allowed"), ".2f"),
        *(figure_cell(figures.get(name), form) for name, form in QUALITY.items()),
        number(results.vbench_total(summary), ".2f"),
        *(figure_cell(figures.get(name), ".2f") for name in SHORT),
        number(None if memory is None else memory / 1e9, ".2f"),
    )
    return Line(cells, colour=colour(summary.first["policy"]))
