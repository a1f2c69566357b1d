"""Predictions of the next ratio while every step is computed, by the filters that the policies have."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.paper.local_level import LocalLevelFit
from navicache.estimator import RandomWalkFilter, RatioFilter
from navicache.policies.easycache import ConstantGainFilter

WARM_UP = 2  # ratios that no prediction is asked of
EMA_GAIN = 0.618
Floats = np.ndarray[Any, np.dtype[np.float64]]


class Trajectory(NamedTuple):
    """One run from its second step on: the ratio, the change of the input, and the size of the output."""

    ratios: Floats
    changes: Floats
    magnitudes: Floats

    def cut(self, start: float, stop: float) -> "Trajectory":
        """The part of the run between two shares of its steps."""
        first, last = round(start * len(self.ratios)), round(stop * len(self.ratios))
        return Trajectory(*(values[first:last] for values in self))


def predict_ratios(ratios: Sequence[float], ratio_filter: RatioFilter[Any]) -> list[float]:
    """Before each ratio after the first, what the filter predicts from those before.

    Example:
        >>> predict_ratios([1.0, 3.0, 4.0], ConstantGainFilter(0.5))
        [1.0, 2.0]
    """
    belief = ratio_filter.start_belief(ratios[0])
    predicted: list[float] = []
    for ratio in ratios[1:]:
        belief = ratio_filter.predict(belief, None)
        predicted.append(ratio_filter.extract_ratio(belief).mean)
        belief, _ = ratio_filter.correct(belief, ratio, None)
    return predicted


def measure_errors(runs: Sequence[Trajectory], fit: LocalLevelFit) -> dict[str, float]:
    """Mean absolute error of the predicted relative change, r * mean|dx| / mean|y|, which the policies decide by."""
    filters: dict[str, RatioFilter[Any]] = {
        "hold": ConstantGainFilter(1.0),
        "ema": ConstantGainFilter(EMA_GAIN),
        "official": RandomWalkFilter(),
        "fitted": RandomWalkFilter(fit.process_noise, fit.measurement_noise, initial_variance=fit.measurement_noise),
    }
    found = {
        name: _average_error(runs, [predict_ratios(list(map(float, run.ratios)), each) for run in runs])
        for name, each in filters.items()
    }
    line = [[float(run.ratios[0]), *(2 * run.ratios[1:-1] - run.ratios[:-2])] for run in runs]
    return {**found, "line": _average_error(runs, line)}


def _average_error(runs: Sequence[Trajectory], predictions: Sequence[Sequence[float]]) -> float:
    errors = [
        np.abs(np.array(predicted) - run.ratios[1:]) * run.changes[1:] / run.magnitudes[:-1]
        for run, predicted in zip(runs, predictions, strict=True)
    ]
    return float(np.mean([each[WARM_UP - 1 :].mean() for each in errors]))
