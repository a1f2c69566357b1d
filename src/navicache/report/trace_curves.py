"""The curves and rows of a trace plot, as numbers."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from navicache.records import RunRecord, StepRecord, ratio_is_error_growth

Curves: TypeAlias = Mapping[str, Sequence[float]]
Rows: TypeAlias = Sequence[tuple[str, Sequence[StepRecord]]]


def read_curves(run: RunRecord, sample: int) -> Curves:
    """Columns as floats; what is unknown or not finite becomes a gap (NaN)."""
    names = ("index", "computed", "ratio", "variance", "measured_ratio", "accumulated", "threshold", "reuse_error")
    curves = {name: [_to_float(value) for value in run.column(name, sample)] for name in names}
    if ratio_is_error_growth(run):
        predicted = [_to_float(value) for value in run.column("predicted_change", sample)]
        curves["measured_ratio"] = _true_growth(curves, predicted, "max_error" in run.settings)
    return curves


def read_rows(run: RunRecord, sample: int) -> Rows:
    """The steps of every sample where there are several, otherwise of every stream, each with its label."""
    if run.samples > 1:
        return [(f"sample {number}", run.steps_of(number)) for number in run.sample_numbers]
    names = {stream: f"stream {stream}" if stream.isdecimal() else stream for stream in run.streams}
    return [(names[stream], run.steps_of(sample, stream)) for stream in run.streams]


def drop_gaps(values: Sequence[float]) -> list[float]:
    """The values that are not NaN."""
    return [value for value in values if not math.isnan(value)]


def _true_growth(curves: Curves, predicted: Sequence[float], cautious: bool) -> list[float]:
    """The true error per change of the input, which the estimate is compared with."""
    if cautious:
        return [math.nan] * len(predicted)
    columns = zip(curves["reuse_error"], curves["ratio"], predicted, strict=True)
    return [error * growth / change if change else math.nan for error, growth, change in columns]


def _to_float(value: float | None) -> float:
    return math.nan if value is None or not math.isfinite(value) else float(value)
