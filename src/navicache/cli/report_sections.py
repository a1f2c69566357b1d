"""The sections of a report, each from the results; one that has nothing to show is None."""

from navicache.cli.report_cells import figure_cell, number, without_empty, words
from navicache.cli.report_equal import equal, equal_curves
from navicache.cli.report_insight import decisions, frequencies, latencies, overheads, summary_place, trajectories
from navicache.cli.report_results import Results
from navicache.evaluation.bench.study import Summary, spread
from navicache.report.charts import Spot, quality_chart
from navicache.report.page_model import Chart, Key, Line, Section, Table
from navicache.report.palette import colour
from navicache.report.published import ABLATIONS, SOURCE, TABLE_1, Ablation, Published

METRICS = {
    "psnr": ("PSNR", "dB, higher is better"),
    "ssim": ("SSIM", "higher is better"),
    "lpips": ("LPIPS", "lower is better"),
}
LEAST_SPOTS = 3  # fewer settings make no picture; the table has them
AXES = {
    "speedup": ("speed-up", "speed-up, by the clock (×)"),
    "cpu_speedup": ("speed-up", "speed-up in CPU time (×)"),
    "computed": ("steps", "computed steps"),
}
MAIN = (
    *("setting", "model", "source", "runs", "seconds", "speed-up", "in CPU time", "computed"),
    *("PSNR", "SSIM", "LPIPS", "VBench %", "peak GB"),
)


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


def main_table(results: Results) -> Section:
    """Table 1: measured rows, and published ones of the same model, or else of the paper's first."""
    models = dict.fromkeys(row["published"] for row in results.rows if row["published"])
    lines = [_main_line(results, summary) for summary in results.summaries]
    shown = models or (("Wan 2.1-1.3B",) if results.timed else ())
    lines += [_published_line(model, row) for model in shown for row in TABLE_1.get(model, ())]
    note = f"Published rows: {SOURCE}, on its authors' machines." if shown else ""
    if shown and not models:
        note += " They are of a far larger model than the one measured here, and only for orientation."
    note += "".join(f" Not possible: {reason}." for reason in results.refused)
    table = without_empty(Table("", MAIN, tuple(lines), 3, note))
    return Section("table", "All settings", "Click a heading to sort.", tables=(table,))


def _published_line(model: str, row: Published) -> Line:
    nothing = number(None)
    times = (number(row.seconds, ".2f"), number(row.speedup, ".2f"), nothing, nothing)
    quality = (number(row.psnr, ".2f"), number(row.ssim, ".4f"), number(row.lpips, ".4f"), number(row.vbench, ".2f"))
    return Line((words(row.name), words(model), words("published"), nothing, *times, *quality, nothing), "published")


def _main_line(results: Results, summary: Summary) -> Line:
    figures, memory = summary.figures, summary.mean("peak_memory")
    cells = (
        words("no cache" if summary.first["kind"] == "baseline" else summary.place[2]),
        words(summary_place(results, summary)),
        words("measured"),
        number(len(summary.rows), "d"),
        figure_cell(figures.get("seconds"), ".2f"),
        figure_cell(figures.get("speedup"), ".2f"),
        figure_cell(figures.get("cpu_speedup"), ".2f"),
        number(summary.mean("computed"), ".1f"),
        *(figure_cell(figures.get(name), form) for name, form in (("psnr", ".2f"), ("ssim", ".4f"), ("lpips", ".4f"))),
        number(results.vbench_total(summary), ".2f"),
        number(None if memory is None else memory / 1e9, ".2f"),
    )
    return Line(cells, colour=colour(summary.first["policy"]))


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
    fast = "speed-up" if results.speed == "speedup" else "speed-up, CPU time"
    headings = ("knobs", "source", "seconds", fast, "computed", "PSNR", "SSIM", "LPIPS")
    tables = []
    for (model, condition, policy, knobs), own in groups.items():
        published = ABLATIONS.get(knobs, ()) if policy == "navicache" else ()
        lines = [*(_ablation_line(s, results.speed) for s in own), *map(_published_ablation, published)]
        note = f"Published rows: {SOURCE}, Wan 2.1-1.3B." if published else ""
        title = f"{knobs} of {policy}{_where(results, model, condition)}"
        tables.append(Table(title, headings, tuple(lines), 2, note))
    text = "The same policy with other knobs."
    return Section("ablations", "Ablations", text, tables=tuple(tables)) if tables else None


def _published_ablation(row: Ablation) -> Line:
    quality = (number(row.psnr, ".2f"), number(row.ssim, ".4f"), number(row.lpips, ".4f"))
    times = (number(row.seconds, ".2f"), number(None), number(None))
    return Line((words(row.knobs), words("published"), *times, *quality), "published")


def _ablation_line(summary: Summary, speed: str) -> Line:
    figures, series = summary.figures, summary.first["series"]
    name = f"{series}: {spread(summary.first['swept'])}" if series else spread(summary.first["swept"])
    forms = {"seconds": ".2f", speed: ".2f", "computed": ".1f", "psnr": ".2f", "ssim": ".4f", "lpips": ".4f"}
    cells = (words(name), words("measured"), *(figure_cell(figures.get(key), form) for key, form in forms.items()))
    return Line(cells, colour=colour(summary.first["policy"]))


SECTIONS = (
    equal,
    equal_curves,
    curves,
    main_table,
    ablations,
    latencies,
    frequencies,
    trajectories,
    decisions,
    overheads,
)
