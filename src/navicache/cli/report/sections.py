"""The sections of a report, each from the results; one that has nothing to show is None."""

from collections.abc import Callable

from navicache.cli.report.cells import estimate_cell
from navicache.cli.report.equal_sections import equal_curves_section, equal_steps_section
from navicache.cli.report.results import BenchResults
from navicache.cli.report.settings_table import TIME_HEADINGS, settings_section
from navicache.evaluation.bench.summaries import SettingSummary, format_knobs
from navicache.report.charts import QualityPoint, draw_quality_chart
from navicache.report.page_model import LegendEntry, PageChart, PageSection, PageTable, TableCell, TableRow
from navicache.report.palette import policy_colour

METRICS = {
    "psnr": ("PSNR", "dB, higher is better"),
    "ssim": ("SSIM", "higher is better"),
    "lpips": ("LPIPS", "lower is better"),
}
LEAST_SPOTS = 3  # fewer settings make no picture; the table has them
AXES = {
    "speedup": ("speed-up", "speed-up, by the clock (×)"),
    "loop_speedup": ("speed-up", "speed-up of the denoising loop (×)"),
    "cpu_speedup": ("speed-up", "speed-up in CPU time (×)"),
    "computed": ("steps", "computed steps"),
}


def quality_curves_section(results: BenchResults) -> PageSection | None:
    """Quality against speed; of batches, which have no times, `equal_curves_section` has them all."""
    if not results.has_times:
        return None
    charts: list[PageChart] = []
    for model, condition in dict.fromkeys(summary.place[:2] for summary in results.summaries):
        own = [s for s in results.summaries if s.place[:2] == (model, condition) and s.first["kind"] == "cached"]
        for axis, metric in (*((results.speed_figure, metric) for metric in METRICS), ("computed", "psnr")):
            spots = [_quality_point(s, axis, metric) for s in own if {axis, metric} <= s.figures.keys()]
            if len(spots) >= LEAST_SPOTS:
                words_of_it = f"{METRICS[metric][0]} over {AXES[axis][0]}{_describe_place(results, model, condition)}"
                picture = draw_quality_chart(spots, AXES[axis][1], METRICS[metric], f"curve{len(charts)}")
                charts.append(PageChart(words_of_it, picture))
    seen = dict.fromkeys(s.first["policy"] for s in results.summaries if s.first["kind"] == "cached")
    text = "Points of one policy are joined; thin lines are intervals. Steps do not depend on what else a machine does."
    legend = tuple(LegendEntry("no cache" if name == "none" else name, policy_colour(name)) for name in seen)
    if not charts:
        return None
    return PageSection("curves", "Quality against speed", text, tuple(charts), legend=legend)


def _quality_point(summary: SettingSummary, axis: str, metric: str) -> QualityPoint:
    def interval(name: str) -> tuple[float, float, float]:
        mean, low, high = summary.figures[name].mean, summary.figures[name].low, summary.figures[name].high
        return mean, mean if low is None else low, mean if high is None else high

    series = summary.first["series"] or summary.place[2]
    return QualityPoint(summary.first["policy"], series, interval(axis), interval(metric))


def _describe_place(results: BenchResults, model: str, condition: str) -> str:
    places = {summary.place[:2] for summary in results.summaries}
    parts = [model] * (len({m for m, _ in places}) > 1) + [condition] * (len({c for _, c in places}) > 1)
    return f", {' '.join(parts)}" if parts else ""


def ablations_section(results: BenchResults) -> PageSection | None:
    """Settings of one policy whose knobs were swept, side by side; a table for every set of knobs.

    Batches are swept to draw curves: the table of all settings has them.
    """
    if not results.has_times:
        return None
    groups: dict[tuple[str, str, str, str], list[SettingSummary]] = {}
    for summary in results.summaries:
        if summary.first["swept"]:
            knobs = " and ".join(summary.first["swept"])
            groups.setdefault((*summary.place[:2], summary.first["policy"], knobs), []).append(summary)
    times = results.seconds_figure[0], results.speed_figure
    headings = ("knobs", *(TIME_HEADINGS[name] for name in times), "computed", "PSNR", "SSIM", "LPIPS")
    tables = []
    for (model, condition, policy, knobs), own in groups.items():
        title = f"{knobs} of {policy}{_describe_place(results, model, condition)}"
        tables.append(PageTable(title, headings, tuple(_ablation_row(s, times) for s in own), 1))
    text = "The same policy with other knobs."
    return PageSection("ablations", "Ablations", text, tables=tuple(tables)) if tables else None


def _ablation_row(summary: SettingSummary, times: tuple[str, str]) -> TableRow:
    figures, series = summary.figures, summary.first["series"]
    name = f"{series}: {format_knobs(summary.first['swept'])}" if series else format_knobs(summary.first["swept"])
    forms = {**dict.fromkeys(times, ".2f"), "computed": ".1f", "psnr": ".2f", "ssim": ".4f", "lpips": ".4f"}
    cells = (TableCell(name), *(estimate_cell(figures.get(key), form) for key, form in forms.items()))
    return TableRow(cells, colour=policy_colour(summary.first["policy"]))


# By their anchors, in the order of the page.
MakeSection = Callable[[BenchResults], PageSection | None]
SECTIONS: dict[str, MakeSection] = {
    "equal": equal_steps_section,
    "equal-curves": equal_curves_section,
    "curves": quality_curves_section,
    "table": settings_section,
    "ablations": ablations_section,
}
