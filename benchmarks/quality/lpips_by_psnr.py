"""What LPIPS says of a PSNR: the mean over all videos between two numbers of decibels."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean, quantiles
from typing import Any, NamedTuple

from benchmarks.quality.ruler_tables import UNKNOWN, format_table
from navicache.evaluation.bench.rows import Row

EDGES = (20.0, 25.0, 30.0, 35.0, 40.0, 45.0, 50.0, 60.0, math.inf)  # dB
HIGH = 10  # the tenth with the largest distance begins at the last of ten quantiles


class LpipsBin(NamedTuple):
    """The videos between two edges."""

    low: float
    high: float
    by_model: dict[str, list[float]]

    @property
    def values(self) -> list[float]:
        """Of all models."""
        return [value for values in self.by_model.values() for value in values]


def sort_into_bins(rows: Iterable[Row], edges: Sequence[float] = EDGES) -> list[LpipsBin]:
    """The LPIPS of every video that has both figures, by its PSNR."""
    bins = [LpipsBin(low, high, defaultdict(list)) for low, high in pairwise(edges)]
    for row in rows:
        quality: Any = row["quality"] or {}
        if row["kind"] != "cached" or quality.get("psnr") is None or quality.get("lpips") is None:
            continue
        for each in bins:
            if each.low <= quality["psnr"] < each.high:
                each.by_model[row["model"]].append(quality["lpips"])
    return bins


def format_bins(bins: Sequence[LpipsBin]) -> str:
    """A row for each bin: videos, the mean of all models counted once, the largest tenth, and every model's mean."""
    models = list(dict.fromkeys(model for each in bins for model in each.by_model))
    lines = []
    for each in bins:
        name = f"{each.low:.0f}+" if math.isinf(each.high) else f"{each.low:.0f}-{each.high:.0f}"
        means = [fmean(each.by_model[model]) if each.by_model.get(model) else None for model in models]
        known = [value for value in means if value is not None]
        tenth = quantiles(each.values, n=HIGH)[-1] if len(each.values) > 1 else None
        figures = (fmean(known) if known else None, tenth, *means)
        lines.append((name, str(len(each.values)), *map(_format_distance, figures)))
    return format_table(("PSNR, dB", "videos", "LPIPS", "a tenth is above", *models), lines)


def _format_distance(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.4f}"
