"""The section of a report about Figure 1 of the paper: how true the predictions are that a policy decides by."""

from collections.abc import Mapping

from benchmarks.paper.accuracy import PredictionAccuracy, measure_accuracy, prediction_points
from benchmarks.paper.charts import draw_plane_chart
from benchmarks.paper.shadows import shadow_runs
from navicache.cli.report.cells import number_cell
from navicache.cli.report.results import BenchResults
from navicache.evaluation.bench.jobs import EVERY_STEP
from navicache.records import RunRecord
from navicache.report.page_model import PageChart, PageSection, PageTable, TableCell, TableRow
from navicache.report.palette import policy_colour

OUTPUT, ERROR = "change of the output", "error of the step"
HEADINGS = ("setting", "model", "predicts", "steps", "MAE", "RMSE", "area", "KL", "Pearson", "cosine")


def accuracy_section(results: BenchResults) -> PageSection | None:
    """Predicted against true change, in the plane the paper draws, with its six figures."""
    charts, lines, found = [], [], {}
    for (model, setting), runs in shadow_runs(results).items():
        points = [prediction_points(run, truth) for _, run, truth in runs]
        if setting == EVERY_STEP.name or not any(points):
            continue
        policy, about = runs[0][0]["policy"], _predicted_quantity(runs[0][1])
        drawn = [(point.input_change, point.predicted, point.true) for point in next(filter(None, points))]
        picture = draw_plane_chart(policy, drawn, f"accuracy{len(charts)}")
        charts.append(PageChart(f"{setting}, {model}", picture, f"predicts the {about}; one prompt", "small"))
        found[model, setting, about] = figures = measure_accuracy(points)
        lines.append(_accuracy_row((setting, model, about), policy, figures))
    text = (
        "Each point is a step of a run that computed everything; the shaded area lies between what was predicted "
        "and what was true. Lower is better for MAE, RMSE, area and KL divergence; Pearson and cosine are 1 at best. "
        f"{name_most_accurate(found)}"
    )
    table = PageTable("", HEADINGS, tuple(lines), 3, "docs/metrics.md defines every figure.")
    return PageSection("accuracy", "Decision accuracy", text, tuple(charts), (table,)) if lines else None


def name_most_accurate(found: Mapping[tuple[str, str, str], PredictionAccuracy]) -> str:
    """Who predicts the change of the output best, model by model, as the paper's Figure 1 asks."""
    said = []
    for model in dict.fromkeys(model for model, _, _ in found):
        own = {setting: each for (of, setting, about), each in found.items() if of == model and about == OUTPUT}
        if len(own) > 1:
            mae, correlation = (min(own, key=lambda s: own[s].mae), max(own, key=lambda s: own[s].pearson or -1.0))
            said.append(f"{mae} by MAE and {correlation} by correlation on {model}")
    return f"Of those that predict the change of the output, the truest is {'; '.join(said)}." if said else ""


def _predicted_quantity(run: RunRecord) -> str:
    return ERROR if run.belief == "predicted_change" else OUTPUT


def _accuracy_row(names: tuple[str, str, str], policy: str, found: PredictionAccuracy) -> TableRow:
    figures = ((found.points, "d"), (found.mae, ".4f"), (found.rmse, ".4f"), (found.area, ".5f"))
    figures += ((found.kl, ".3f"), (found.pearson, ".3f"), (found.cosine, ".3f"))
    return TableRow(
        (*map(TableCell, names), *(number_cell(v, form) for v, form in figures)), colour=policy_colour(policy)
    )
