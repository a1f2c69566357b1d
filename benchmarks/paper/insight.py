"""Sections of a report about what the policies did and believed; one that has nothing to show is None."""

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.paper.charts import draw_frequency_chart, draw_latency_chart, draw_trajectory_chart
from benchmarks.paper.published import CALIBRATION, OVERHEAD, SOURCE
from benchmarks.paper.shadows import shadow_runs
from navicache.cli.report.cells import estimate_cell, number_cell
from navicache.cli.report.results import BenchResults
from navicache.evaluation.bench.jobs import EVERY_STEP
from navicache.evaluation.bench.plan import BASELINE
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.bench.summaries import SettingSummary
from navicache.evaluation.intervals import MeanEstimate
from navicache.models import CALIBRATED_METHODS
from navicache.records.text_table import UNKNOWN_CELL
from navicache.report.page_model import PageChart, PageSection, PageTable, TableCell, TableRow
from navicache.report.palette import policy_colour

NOT_RECORDED = "not recorded"


def frequency_section(results: BenchResults) -> PageSection | None:
    """How often each step was computed (the paper's figure of skip frequency, seen from the other side)."""
    charts = []
    for model, condition in dict.fromkeys(summary.place[:2] for summary in results.summaries):
        shares = {}
        for summary in results.summaries:
            if summary.place[:2] == (model, condition) and summary.first["trace"]:
                runs = [run for row in summary.rows if (run := results.run(row)) is not None]
                shares[summary.place[2]] = (
                    summary.first["policy"],
                    _computed_shares([run.column("computed") for run in runs]),
                )
        if shares:
            picture = draw_frequency_chart(shares, f"frequency{len(charts)}")
            charts.append(PageChart(f"{model}, {condition}", picture, size="wide"))
    text = (
        "Full colour: computed in every run. Pale: in some. Grey: reused in all. Policies that adapt differ by prompt; "
        "those that reuse single modules, as PAB and TaylorSeer do, compute a part of every step."
    )
    return PageSection("frequency", "Which steps are computed", text, tuple(charts)) if charts else None


def _computed_shares(decisions: Sequence[Sequence[bool]]) -> list[float]:
    return [sum(run[step] for run in decisions) / len(decisions) for step in range(min(map(len, decisions)))]


def latency_section(results: BenchResults) -> PageSection | None:
    """Seconds under several conditions (the paper's figure of latency by size)."""
    figure, of = results.seconds_figure
    charts: list[PageChart] = []
    for model in dict.fromkeys(summary.place[0] for summary in results.summaries):
        own = {s.place[1:]: s for s in results.summaries if s.place[0] == model and figure in s.figures}
        counts = Counter(name for _, name in own if name != BASELINE)
        shared = [BASELINE, *(name for name, count in counts.items() if count > 1)]
        conditions = list(dict.fromkeys(condition for condition, name in own if name in shared[1:]))
        if conditions:
            seconds = {name: _setting_seconds(name, conditions, own, figure) for name in shared}
            charts.append(PageChart(model, draw_latency_chart(seconds, conditions, of, f"latency{len(charts)}")))
    text = "Settings that were measured under several conditions: schedulers, sizes or lengths."
    return PageSection("latency", "Latency by condition", text, tuple(charts)) if charts else None


def _setting_seconds(
    name: str, conditions: Sequence[str], own: Mapping[tuple[str, str], SettingSummary], figure: str
) -> tuple[str, list[MeanEstimate | None]]:
    found = [own.get((condition, name)) for condition in conditions]
    policy = next(summary.first["policy"] for summary in found if summary)
    return policy, [summary.figures.get(figure) if summary else None for summary in found]


def trajectories_section(results: BenchResults) -> PageSection | None:
    """The ratio over the run, from the runs that computed every step."""
    lines: dict[str, dict[str, list[Sequence[float | None]]]] = {}
    for (model, setting), runs in shadow_runs(results).items():
        if setting == EVERY_STEP.name:
            for row, run, _ in runs:
                lines.setdefault(model, {}).setdefault(row["condition"], []).append(run.column("measured_ratio"))
    charts = [PageChart(model, draw_trajectory_chart(own, f"ratio{i}")) for i, (model, own) in enumerate(lines.items())]
    text = (
        "How much the output changes for each change of the input: what the filter of the paper follows. "
        "Bold: the mean of the prompts, with its interval; thin: each prompt."
    )
    return PageSection("trajectories", "Ratio trajectories", text, tuple(charts)) if charts else None


def overhead_section(results: BenchResults) -> PageSection | None:
    """What the cache itself costs."""
    if not results.has_times:
        return None
    own = [s for s in results.summaries if s.first["policy"] != "none" and "overhead" in s.figures]
    lines = [_overhead_row(results, summary) for summary in own]
    for name, seconds in OVERHEAD.items():
        cells = (TableCell(name), TableCell(UNKNOWN_CELL), TableCell("published"))
        lines.append(
            TableRow((*cells, number_cell(CALIBRATION[name], ".0f"), number_cell(seconds, ".4f")), "published")
        )
    headings = ("setting", "model", "source", "offline calibration (s)", "skipping justification (s)")
    note = (
        "Offline calibration, measured: as the setting's file of `navicache calibrate` says, where it was made; "
        f'0 where the policy needs none, "{NOT_RECORDED}" where there is no file or it does not say. '
        "Skipping justification, measured: seconds a step; those of the loop beyond computed steps times the "
        "baseline's seconds a step, over all steps. Predicting is in it. A small difference of large times: "
        "where its interval holds zero, the noise is larger than the cost. "
        f"Published: the table of auxiliary time overhead in {SOURCE}, on one RTX 4090 with batch size 1. It names "
        "neither the model nor whether its seconds are of a step or of a video."
    )
    table = PageTable("", headings, tuple(lines), 3, note)
    return PageSection("overhead", "Overhead", "Auxiliary time: what comes beside the model's own.", tables=(table,))


def _overhead_row(results: BenchResults, summary: SettingSummary) -> TableRow:
    cells = (TableCell(summary.place[2]), TableCell(describe_place(results, summary)), TableCell("measured"))
    cost = estimate_cell(summary.figures["overhead"], ".4f")
    return TableRow((*cells, calibration_cell(summary.first), cost), colour=policy_colour(summary.first["policy"]))


def calibration_cell(row: Row) -> TableCell:
    """Seconds of its calibration: 0 only where the policy has none."""
    if row["policy"] not in CALIBRATED_METHODS:
        return number_cell(0, ".0f")
    seconds = row.get("calibration_seconds")
    return TableCell(NOT_RECORDED) if seconds is None else number_cell(seconds, ".1f")


def describe_place(results: BenchResults, summary: SettingSummary) -> str:
    """The model and, where there are several, the condition."""
    several = len({s.place[1] for s in results.summaries}) > 1
    return f"{summary.place[0]}, {summary.place[1]}" if several else summary.place[0]
