"""How accurate a policy's predictions are, as in Figure 1 of the paper; docs/metrics.md defines every number."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from navicache.records import RunRecord

HISTOGRAM_BINS = 20
HISTOGRAM_SMOOTHING = 0.5  # added to every bin: an empty one would make the divergence infinite


class PredictionPoint(NamedTuple):
    """One step: the change of its input, and the predicted and the true change (or error) of its output."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    input_change: float
    predicted: float
    true: float


@dataclass(frozen=True)
class PredictionAccuracy:
    """Accuracy over all runs of a policy; a number that is undefined for these points is None."""

    runs: int
    points: int
    mae: float
    rmse: float
    area: float  # mean over the runs
    kl: float
    pearson: float | None
    cosine: float | None


def collect_points(shadow_run: RunRecord, full_run: RunRecord) -> tuple[PredictionPoint, ...]:
    """Collect the steps of a shadow run on the full trajectory with a known prediction and a known true value.

    If the policy predicts the error of the step (`belief`), the true value is that error. Otherwise it is the change of
    the output since the step before, from `full_run`: a run with the same prompt and noise that computed every step and
    measured its latents, which not every policy does.
    """
    predicts_error = shadow_run.belief == "predicted_change"
    full_steps = {step.index: step for step in full_run.leading}
    points: list[PredictionPoint] = []
    for step in shadow_run.leading:
        full = full_steps[step.index]
        true = step.reuse_error if predicts_error else full.output_change
        known = (full.input_change, step.predicted_change, true)
        if all(value is not None and math.isfinite(value) for value in known):
            points.append(PredictionPoint(step.index, *known))  # pyright: ignore[reportArgumentType]
    return tuple(points)


def measure_prediction_accuracy(runs: Sequence[Sequence[PredictionPoint]]) -> PredictionAccuracy:
    """Measure the errors of all points together, and the area as the mean over the runs.

    Example:
        >>> exact = [PredictionPoint(0, 1.0, 0.1, 0.1), PredictionPoint(1, 2.0, 0.3, 0.3)]
        >>> accuracy = measure_prediction_accuracy([exact])
        >>> accuracy.mae, accuracy.area, accuracy.kl, round(accuracy.pearson, 6), round(accuracy.cosine, 6)
        (0.0, 0.0, 0.0, 1.0, 1.0)
    """
    pooled = [point for run in runs for point in run]
    if not pooled:
        raise ValueError("no step has both a prediction and its truth: run it in shadow mode")
    predicted, true = (np.array([getattr(point, name) for point in pooled]) for name in ("predicted", "true"))
    errors = predicted - true
    return PredictionAccuracy(
        runs=len(runs),
        points=len(pooled),
        mae=float(np.abs(errors).mean()),
        rmse=float(np.sqrt((errors**2).mean())),
        area=float(np.mean([measure_swept_area(run) for run in runs])),
        kl=compute_kl_divergence(true, predicted),
        pearson=compute_pearson_correlation(predicted, true),
        cosine=compute_cosine_similarity(predicted, true),
    )


def measure_swept_area(points: Sequence[PredictionPoint]) -> float:
    """Area swept by the segment from the predicted to the true point, in the plane of input and output change.

    Both points of a step have the same input change, so between two steps the segment sweeps a trapezoid, or two
    triangles if prediction and truth cross.

    Example:
        >>> start = PredictionPoint(0, 0.0, 1.0, 0.0)
        >>> measure_swept_area([start, PredictionPoint(1, 2.0, 1.0, 0.0)])
        2.0
        >>> measure_swept_area([start, PredictionPoint(1, 2.0, 0.0, 1.0)])
        1.0
    """
    return sum(_measure_area_between(first, second) for first, second in itertools.pairwise(points))


def _measure_area_between(first: PredictionPoint, second: PredictionPoint) -> float:
    width = abs(second.input_change - first.input_change)
    start, end = first.predicted - first.true, second.predicted - second.true
    if start * end >= 0:
        return width * (abs(start) + abs(end)) / 2
    return width * (start**2 + end**2) / (2 * (abs(start) + abs(end)))


def compute_kl_divergence(true: np.ndarray, predicted: np.ndarray, bins: int = HISTOGRAM_BINS) -> float:
    """Kullback-Leibler divergence, in nats, of the predicted histogram from the true one; 0 if they are the same.

    Both have the same bins, of equal width from the smallest to the largest value of either.
    """
    span = float(min(true.min(), predicted.min())), float(max(true.max(), predicted.max()))
    if span[0] == span[1]:
        return 0.0
    counts = [np.histogram(values, bins, span)[0] + HISTOGRAM_SMOOTHING for values in (true, predicted)]
    p, q = (count / count.sum() for count in counts)
    return float((p * np.log(p / q)).sum())


def compute_pearson_correlation(first: np.ndarray, second: np.ndarray) -> float | None:
    """Pearson correlation; None if one of them does not vary."""
    if not np.ptp(first) or not np.ptp(second):
        return None
    return compute_cosine_similarity(first - first.mean(), second - second.mean())


def compute_cosine_similarity(first: np.ndarray, second: np.ndarray) -> float | None:
    """Cosine of the angle between two vectors; None if one of them is zero."""
    sizes = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / sizes if sizes else None
