"""Sections of a report about what the policies did and believed; one that has nothing to show is None."""

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.paper.charts import draw_frequency_chart, draw_latency_chart, draw_trajectory_chart
from benchmarks.paper.shadows import shadow_runs
from navicache.cli.report.results import BenchResults
from navicache.evaluation.bench.jobs import EVERY_STEP
from navicache.evaluation.bench.plan import BASELINE
from navicache.evaluation.bench.summaries import SettingSummary
from navicache.evaluation.intervals import MeanEstimate
from navicache.report.page_model import PageChart, PageSection


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
