"""How true the predictions of a policy are, as in the paper's Figure 1; docs/metrics.md defines every figure."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from navicache.evaluation.intervals import CONFIDENCE, MeanEstimate
from navicache.records import RunRecord

BINS = 20
RESAMPLES = 1000
FIGURES = ("mae", "rmse", "area", "kl", "pearson", "cosine")
SMOOTHING = 0.5  # added to every bin: an empty one would make the divergence infinite


class PredictionPoint(NamedTuple):
    """One step: how much the input changed, what the policy predicted, and what was true."""

    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    input_change: float
    predicted: float
    true: float


@dataclass(frozen=True)
class PredictionAccuracy:
    """Over all runs of a policy; a figure that has no meaning for these points is None."""

    runs: int
    points: int
    mae: float
    rmse: float
    area: float  # mean over the runs
    kl: float
    pearson: float | None
    cosine: float | None


def prediction_points(run: RunRecord, truth: RunRecord) -> tuple[PredictionPoint, ...]:
    """The steps of a shadow run, on the full trajectory, whose prediction and truth are both known.

    What `predicted_change` is held against is what it is about: the error of this very step where the policy says so
    (`belief`), else the change of the output since the step before, which `truth` holds: a run of the same prompt and
    noise that computed every step and measured its latents, which not every policy does.
    """
    own = run.belief == "predicted_change"
    truths = {step.index: step for step in truth.leading}
    found: list[PredictionPoint] = []
    for step in run.leading:
        exact = truths[step.index]
        known = (exact.input_change, step.predicted_change, step.reuse_error if own else exact.output_change)
        if all(value is not None and math.isfinite(value) for value in known):
            found.append(PredictionPoint(step.index, *known))  # pyright: ignore[reportArgumentType]
    return tuple(found)


def measure_accuracy(runs: Sequence[Sequence[PredictionPoint]]) -> PredictionAccuracy:
    """Errors of all points together, and the area as the mean over the runs.

    Example:
        >>> exact = [PredictionPoint(0, 1.0, 0.1, 0.1), PredictionPoint(1, 2.0, 0.3, 0.3)]
        >>> found = measure_accuracy([exact])
        >>> found.mae, found.area, found.kl, round(found.pearson, 6), round(found.cosine, 6)
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
        area=float(np.mean([prediction_area(run) for run in runs])),
        kl=kl_divergence(true, predicted),
        pearson=pearson(predicted, true),
        cosine=cosine(predicted, true),
    )


def estimate_accuracy(runs: Sequence[Sequence[PredictionPoint]], seed: int = 0) -> dict[str, MeanEstimate]:
    """Every figure with its interval: whole runs are drawn again, for their steps belong together.

    A figure that has no meaning for these points is left out.

    Example:
        >>> runs = [[PredictionPoint(0, 1.0, 0.2, 0.1), PredictionPoint(1, 2.0, 0.3, 0.3)]] * 2
        >>> estimate_accuracy(runs)["mae"]
        MeanEstimate(mean=0.05, low=0.05, high=0.05, count=2)
    """
    known = [run for run in runs if run]
    whole = asdict(measure_accuracy(known))
    drawn = np.random.default_rng(seed).integers(len(known), size=(RESAMPLES, len(known)))
    draws = Counter(tuple(sorted(each)) for each in drawn.tolist())  # few runs come in few combinations
    found = [(asdict(measure_accuracy([known[i] for i in draw])), count) for draw, count in draws.items()]
    estimates = {}
    for name in FIGURES:
        values = [each[name] for each, count in found for _ in range(count) if each[name] is not None]
        if whole[name] is not None:
            low, high = np.quantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
            several = len(known) > 1
            estimates[name] = MeanEstimate(whole[name], low if several else None, high if several else None, len(known))
    return estimates


def prediction_area(points: Sequence[PredictionPoint]) -> float:
    """Area swept by the segment from the predicted to the true point, in the plane of input and output change.

    Both points of a step stand above the same input change, so between two steps the segment sweeps a trapezoid, or two
    triangles where prediction and truth cross.

    Example:
        >>> start, level = PredictionPoint(0, 0.0, 1.0, 0.0), PredictionPoint(1, 2.0, 1.0, 0.0)
        >>> crossed = PredictionPoint(1, 2.0, 0.0, 1.0)
        >>> prediction_area([start, level]), prediction_area([start, crossed])
        (2.0, 1.0)
    """
    return sum(_trapezoid_area(first, second) for first, second in itertools.pairwise(points))


def _trapezoid_area(first: PredictionPoint, second: PredictionPoint) -> float:
    width = abs(second.input_change - first.input_change)
    start, end = first.predicted - first.true, second.predicted - second.true
    if start * end >= 0:
        return width * (abs(start) + abs(end)) / 2
    return width * (start**2 + end**2) / (2 * (abs(start) + abs(end)))


def kl_divergence(true: np.ndarray, predicted: np.ndarray, bins: int = BINS) -> float:
    """Kullback-Leibler divergence, in nats, of the predicted histogram from the true one; 0 where they are the same.

    Both have the same bins, of equal width from the least to the largest value of either.
    """
    span = float(min(true.min(), predicted.min())), float(max(true.max(), predicted.max()))
    if span[0] == span[1]:
        return 0.0
    counts = [np.histogram(values, bins, span)[0] + SMOOTHING for values in (true, predicted)]
    p, q = (count / count.sum() for count in counts)
    return float((p * np.log(p / q)).sum())


def pearson(first: np.ndarray, second: np.ndarray) -> float | None:
    """Correlation; None where one of them does not vary."""
    return cosine(first - first.mean(), second - second.mean()) if np.ptp(first) and np.ptp(second) else None


def cosine(first: np.ndarray, second: np.ndarray) -> float | None:
    """Cosine of the angle between the two as vectors; None where one of them is zero."""
    sizes = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / sizes if sizes else None
