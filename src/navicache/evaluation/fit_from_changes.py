"""Fit calibrations to measured changes: TeaCache's polynomial and MagCache's table."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from navicache.engine import ProbeMeasurement

POLYNOMIAL_DEGREE = 4


def fit_teacache_polynomial(probe_records: Iterable[ProbeMeasurement]) -> tuple[tuple[float, ...], dict[str, float]]:
    """Fit the relative change of the output to that of the signal by least squares, for TeaCache (arXiv:2411.19108).

    Returns five coefficients, highest power first, and R² with the number of points. If the signal has too few values
    for a curve of that degree, a lower degree is fitted and the other coefficients are zero.
    """
    both = ((record.signal_change, record.output_change) for record in probe_records)
    pairs = [pair for pair in both if None not in pair]
    if len(pairs) <= POLYNOMIAL_DEGREE:
        raise ValueError(f"{len(pairs)} steps are too few to fit a curve: calibrate with more steps or prompts")
    x, y = (np.array(column, dtype=np.float64) for column in zip(*pairs, strict=True))
    degree = min(POLYNOMIAL_DEGREE, len(np.unique(np.round(x, 9))) - 1)
    scale = float(np.abs(x).max()) or 1.0  # fitted on [-1, 1], for numerical stability
    fitted = np.polyfit(x / scale, y, degree) / scale ** np.arange(degree, -1, -1)
    coefficients = np.concatenate([np.zeros(POLYNOMIAL_DEGREE - degree), fitted])
    residual = y - np.polyval(coefficients, x)
    spread = float(((y - y.mean()) ** 2).sum())
    explained = 1 - float((residual**2).sum()) / spread if spread else 1.0
    return tuple(float(c) for c in coefficients), {"r2": explained, "points": float(len(pairs))}


def measure_magcache_ratios(probe_records: Sequence[ProbeMeasurement]) -> tuple[dict[str, Any], dict[str, float]]:
    """Measure MagCache's table (arXiv:2506.09045): the residual's magnitude over that of the step before, on average.

    Returns the knobs (one table, guidance branches interleaved, a 1 for each call of the first step) and the spread
    between runs.
    """
    seen: dict[tuple[int, int], list[float]] = defaultdict(list)
    for sight in probe_records:
        if sight.residual_ratio is not None:
            seen[sight.index, sight.stream_index].append(sight.residual_ratio)
    if not seen:
        raise ValueError("no two steps in a row were seen: calibrate with more steps")
    branches = 1 + max(sight.stream_index for sight in probe_records)
    steps = 1 + max(sight.index for sight in probe_records)
    table = [1.0] * branches
    table += [round(float(np.mean(seen.get((i, b), [1.0]))), 5) for i in range(1, steps) for b in range(branches)]
    spread = float(np.mean([np.std(values) for values in seen.values()]))
    runs = float(len({sight.run_number for sight in probe_records}))
    return {"ratios": tuple(table), "interleaved": branches > 1}, {"spread": spread, "runs": runs}
