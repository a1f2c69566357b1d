"""The sections of a report, each from the results; one that has nothing to show is None."""

from collections.abc import Callable

from navicache.cli.report.cells import figure_cell, words
from navicache.cli.report.equal import equal, equal_curves
from navicache.cli.report.results import Results
from navicache.cli.report.table import SHORT, main_table
from navicache.evaluation.bench.study import Summary, spread
from navicache.report.charts import Spot, quality_chart
from navicache.report.page_model import Chart, Key, Line, Section, Table
from navicache.report.palette import colour

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


def curves(results: Results) -> Section | None:
    """Quality against speed; of batches, which have no times, `equal_curves` has them all."""
    if not results.timed:
        return None
    charts: list[Chart] = []
    for model, condition in dict.fromkeys(summary.place[:2] for summary in results.summaries):
        own = [s for s in results.summaries if s.place[:2] == (model, condition) and s.first["kind"] == "cached"]
        for axis, metric in (*((results.speed, metric) for metric in METRICS), ("computed", "psnr")):
            spots = [_spot(s, axis, metric) for s in own if {axis, metric} <= s.figures.keys()]
            if len(spots) >= LEAST_SPOTS:
                words_of_it = f"{METRICS[metric][0]} over {AXES[axis][0]}{_where(results, model, condition)}"
                picture = quality_chart(spots, AXES[axis][1], METRICS[metric], f"curve{len(charts)}")
                charts.append(Chart(words_of_it, picture))
    seen = dict.fromkeys(s.first["policy"] for s in results.summaries if s.first["kind"] == "cached")
    text = "Points of one policy are joined; thin lines are intervals. Steps do not depend on what else a machine does."
    return Section("curves", "Quality against speed", text, tuple(charts), legend=legend(seen)) if charts else None


def _spot(summary: Summary, axis: str, metric: str) -> Spot:
    def interval(name: str) -> tuple[float, float, float]:
        found = summary.figures[name]
        return (
            found.mean,
            found.mean if found.low is None else found.low,
            found.mean if found.high is None else found.high,
        )

    series = summary.first["series"] or summary.place[2]
    return Spot(summary.first["policy"], series, interval(axis), interval(metric))


def _where(results: Results, model: str, condition: str) -> str:
    places = {summary.place[:2] for summary in results.summaries}
    parts = [model] * (len({m for m, _ in places}) > 1) + [condition] * (len({c for _, c in places}) > 1)
    return f", {' '.join(parts)}" if parts else ""


def legend(policies: dict[str, None]) -> tuple[Key, ...]:
    """One entry a policy."""
    return tuple(Key("no cache" if name == "none" else name, colour(name)) for name in policies)


def ablations(results: Results) -> Section | None:
    """Settings of one policy whose knobs were swept, side by side; a table for every set of knobs.

    Batches are swept to draw curves: the table of all settings has them.
    """
    if not results.timed:
        return None
    groups: dict[tuple[str, str, str, str], list[Summary]] = {}
    for summary in results.summaries:
        if summary.first["swept"]:
            knobs = " and ".join(summary.first["swept"])
            groups.setdefault((*summary.place[:2], summary.first["policy"], knobs), []).append(summary)
    times = results.clock[0], results.speed
    headings = ("knobs", *(SHORT[name] for name in times), "computed", "PSNR", "SSIM", "LPIPS")
    tables = []
    for (model, condition, policy, knobs), own in groups.items():
        title = f"{knobs} of {policy}{_where(results, model, condition)}"
        tables.append(Table(title, headings, tuple(_ablation_line(s, times) for s in own), 1))
    text = "The same policy with other knobs."
    return Section("ablations", "Ablations", text, tables=tuple(tables)) if tables else None


def _ablation_line(summary: Summary, times: tuple[str, str]) -> Line:
    figures, series = summary.figures, summary.first["series"]
    name = f"{series}: {spread(summary.first['swept'])}" if series else spread(summary.first["swept"])
    forms = {**dict.fromkeys(times, ".2f"), "computed": ".1f", "psnr": ".2f", "ssim": ".4f", "lpips": ".4f"}
    cells = (words(name), *(figure_cell(figures.get(key), form) for key, form in forms.items()))
    return Line(cells, colour=colour(summary.first["policy"]))


# By their anchors, in the order of the page.
MakeSection = Callable[[Results], Section | None]
SECTIONS: dict[str, MakeSection] = {
    "equal": equal,
    "equal-curves": equal_curves,
    "curves": curves,
    "table": main_table,
    "ablations": ablations,
}
