"""The table of all settings: Table 1 of the paper, one for each model."""

from navicache.cli.report_cells import figure_cell, number, without_empty, words
from navicache.cli.report_results import Results
from navicache.evaluation.bench.study import Summary
from navicache.report.page_model import Line, Section, Table
from navicache.report.palette import colour
from navicache.report.published import SOURCE, TABLE_1, Published

USUAL = "Wan 2.1-1.3B"  # whose published rows stand where a model has none of its own
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
    """Measured rows, and published ones of the same model, or else of the paper's first."""
    models = dict.fromkeys(summary.place[0] for summary in results.summaries)
    tables = [_table(results, model, title=model if len(models) > 1 else "") for model in models]
    text = "Click a heading to sort. What the steps allow is the speed-up if reusing were free."
    return Section("table", "All settings", text, tables=tuple(tables))


def _table(results: Results, model: str, title: str) -> Table:
    own = [summary for summary in results.summaries if summary.place[0] == model]
    several = len({summary.place[1] for summary in own}) > 1
    named = own[0].first["published"]
    shown = named or (USUAL if results.timed and not title else "")
    lines = [_measured(results, summary, summary.place[1] if several else "-") for summary in own]
    lines += map(_published, TABLE_1.get(shown, ()))
    note = f"Published rows: {SOURCE}, {shown}, on its authors' machines." if shown else ""
    if shown and not named:
        note += " They are of a far larger model than the one measured here, and only for orientation."
    note += "".join(f" Not possible: {reason}." for reason in results.refused if f" on {model}: " in reason)
    return without_empty(Table(title, HEADINGS, tuple(lines), 2 + several, note))


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


def _published(row: Published) -> Line:
    nothing = number(None)
    quality = (number(row.psnr, ".2f"), number(row.ssim, ".4f"), number(row.lpips, ".4f"), number(row.vbench, ".2f"))
    times = (nothing, nothing, number(row.seconds, ".2f"), number(row.speedup, ".2f"), nothing)
    names = (words(row.name), nothing, words("published"), nothing, nothing, nothing)
    return Line((*names, *quality, *times, nothing), "published")
