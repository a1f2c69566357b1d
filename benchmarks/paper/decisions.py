"""The section of a report about Figure 1 of the paper: how true the predictions are that a policy decides by."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.paper.accuracy import FIGURES, PredictionPoint, estimate_accuracy, prediction_points
from benchmarks.paper.charts import draw_plane_chart
from benchmarks.paper.shadows import shadow_runs
from navicache.cli.report.cells import estimate_cell, number_cell
from navicache.cli.report.results import BenchResults
from navicache.evaluation.bench.jobs import EVERY_STEP
from navicache.evaluation.intervals import MeanEstimate
from navicache.records import RunRecord
from navicache.report.page_model import PageChart, PageSection, PageTable, TableCell, TableRow
from navicache.report.palette import policy_colour

OUTPUT, ERROR = "change of the output", "error of the step"
HEADINGS = ("setting", "model", "predicts", "steps", "MAE", "RMSE", "area", "KL", "Pearson", "cosine")
FORMS = {"mae": ".4f", "rmse": ".4f", "area": ".5f", "kl": ".3f", "pearson": ".3f", "cosine": ".3f"}
CSV_HEADINGS = ("plan", "model", "setting", "policy", "threshold", "predicts", "runs", "points")


@dataclass(frozen=True)
class SettingAccuracy:
    """How true the predictions of one setting are on one model."""

    model: str
    setting: str
    policy: str
    threshold: float | None
    about: str  # what it predicts
    runs: tuple[tuple[PredictionPoint, ...], ...]
    figures: Mapping[str, MeanEstimate]

    @property
    def points(self) -> int:
        """Steps of all its runs."""
        return sum(map(len, self.runs))


def measure_settings(results: BenchResults) -> Iterator[SettingAccuracy]:
    """Every setting whose predictions and their truths are known."""
    for (model, setting), shadows in shadow_runs(results).items():
        runs = tuple(points for _, run, truth in shadows if (points := prediction_points(run, truth)))
        if setting != EVERY_STEP.name and runs:
            row, first, _ = shadows[0]
            about, threshold = _predicted_quantity(first), row["knobs"].get("threshold")
            yield SettingAccuracy(model, setting, row["policy"], threshold, about, runs, estimate_accuracy(runs))


def accuracy_section(results: BenchResults) -> PageSection | None:
    """Predicted against true change, in the plane the paper draws, with its six figures."""
    found = list(measure_settings(results))
    charts = []
    for number, each in enumerate(found):
        drawn = [(point.input_change, point.predicted, point.true) for point in each.runs[0]]
        picture = draw_plane_chart(each.policy, drawn, f"accuracy{number}")
        words = f"predicts the {each.about}; one prompt"
        charts.append(PageChart(f"{each.setting}, {each.model}", picture, words, "small"))
    text = (
        "Each point is a step of a run that computed everything; the shaded area lies between what was predicted "
        "and what was true. Lower is better for MAE, RMSE, area and KL divergence; Pearson and cosine are 1 at best. "
        f"Intervals draw whole prompts again. {name_most_accurate(found)}"
    )
    table = PageTable("", HEADINGS, tuple(map(_accuracy_row, found)), 3, "docs/metrics.md defines every figure.")
    return PageSection("accuracy", "Decision accuracy", text, tuple(charts), (table,)) if found else None


def accuracy_csv(parts: Sequence[BenchResults]) -> str:
    """The same figures as CSV, with intervals: a line for each setting of each plan."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*CSV_HEADINGS, *(f"{name}{end}" for name in FIGURES for end in ("", "_low", "_high"))])
    for part in parts:
        for each in measure_settings(part):
            about = (part.name, each.model, each.setting, each.policy, each.threshold, each.about)
            ends = [value for name in FIGURES for value in each.figures.get(name, (None, None, None))[:3]]
            figures = ["" if value is None else f"{value:.6g}" for value in ends]
            writer.writerow([*about, len(each.runs), each.points, *figures])
    return text.getvalue()


def name_most_accurate(found: Sequence[SettingAccuracy]) -> str:
    """Who predicts the change of the output best, model by model, as the paper's Figure 1 asks."""
    said = []
    for model in dict.fromkeys(each.model for each in found):
        own = [each for each in found if each.model == model and each.about == OUTPUT]
        if len(own) > 1:
            nearest = min(own, key=lambda each: each.figures["mae"].mean).setting
            alike = max(
                own, key=lambda each: each.figures["pearson"].mean if "pearson" in each.figures else -1.0
            ).setting
            said.append(f"{nearest} by MAE and {alike} by correlation on {model}")
    return f"Of those that predict the change of the output, the truest is {'; '.join(said)}." if said else ""


def _predicted_quantity(run: RunRecord) -> str:
    return ERROR if run.belief == "predicted_change" else OUTPUT


def _accuracy_row(found: SettingAccuracy) -> TableRow:
    names = (TableCell(found.setting), TableCell(found.model), TableCell(found.about))
    figures = (estimate_cell(found.figures.get(name), form) for name, form in FORMS.items())
    return TableRow((*names, number_cell(found.points, "d"), *figures), colour=policy_colour(found.policy))
