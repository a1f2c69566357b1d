"""Test the paper's assumption 3.1: is the ratio of output change to input change a Gaussian random walk?

    python -m benchmarks.paper.random_walk RESULTS... --csv docs/results/paper/assumption.csv --chart WALK.png

RESULTS are folders of benchmarks.paper.every_step, or of any plan with shadow runs. Of every model, sampler and phase:
tests of the increments, the most likely Q and R of the paper's model, and the error of predicting the next step with
them, with the paper's Q = R = 0.05, with a constant gain, and with the last ratio. Intervals are 95 % bootstraps over
the runs.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.columns import table
from benchmarks.paper import walk_tests
from benchmarks.paper.forms import save_csv
from benchmarks.paper.local_level import fit_local_level
from benchmarks.paper.walk_chart import save_walk_chart
from benchmarks.paper.walk_predictors import Trajectory, measure_errors
from navicache.cli.report.results import BenchResults, read_results
from navicache.estimator import compute_steady_gain
from navicache.evaluation.bench.jobs import EVERY_STEP
from navicache.evaluation.intervals import estimate_mean

PHASES = {"whole": (0.0, 1.0), "start": (0.0, 1 / 3), "middle": (1 / 3, 2 / 3), "end": (2 / 3, 1.0)}
OFFICIAL_NOISE = 0.05


@dataclass(frozen=True)
class WalkRow:
    """A model under a sampler, in one phase of its runs."""

    model: str
    condition: str
    phase: str
    runs: int
    steps: int
    mean_ratio: float
    autocorrelation: float  # of neighbouring increments; 0 for a random walk, below 0 with noise on it
    autocorrelation_low: float | None
    autocorrelation_high: float | None
    variance_ratio: float  # over four steps; 1 for a random walk
    common_share: float  # of the increments' mean square that all prompts have in common
    ljung_box_rejected: float  # share of the runs, at 5 %
    jarque_bera_rejected: float
    excess_kurtosis: float  # mean over the runs; 0 if Gaussian
    increment_variance: float  # mean square of an increment
    fitted_q: float
    fitted_r: float
    fitted_gain: float
    fitted_gain_low: float
    fitted_gain_high: float
    official_gain: float
    error_hold: float  # mean |predicted - true| relative change of the next output
    error_ema: float
    error_official: float
    error_fitted: float
    error_line: float  # the last two ratios carried on


def read_trajectories(results: BenchResults) -> dict[tuple[str, str], list[Trajectory]]:
    """What was measured at every step, run by run."""
    found: dict[tuple[str, str], list[Trajectory]] = {}
    for row in results.rows:
        run = results.run(row) if row["setting"] == EVERY_STEP.name else None
        if run is not None:
            steps = [(step.input_change, step.measured_ratio, step.output_change) for step in run.leading[1:]]
            changes, ratios, relative = np.array(steps, dtype=float).T
            magnitudes = ratios * changes / relative
            found.setdefault((row["model"], row["condition"]), []).append(Trajectory(ratios, changes, magnitudes))
    return found


def describe_walks(trajectories: Mapping[tuple[str, str], Sequence[Trajectory]]) -> list[WalkRow]:
    """A row for every model, sampler and phase."""
    return [
        _describe_phase(*place, phase, [each.cut(*PHASES[phase]) for each in runs])
        for place, runs in trajectories.items()
        for phase in PHASES
    ]


def _describe_phase(model: str, condition: str, phase: str, runs: Sequence[Trajectory]) -> WalkRow:
    increments = [np.diff(run.ratios) for run in runs]
    autocorrelation = estimate_mean([walk_tests.compute_autocorrelation(each) for each in increments])
    normality = [walk_tests.compute_jarque_bera(each) for each in increments]
    boxes = [walk_tests.compute_ljung_box(each) > walk_tests.LJUNG_BOX_LIMIT for each in increments]
    fit = fit_local_level([list(run.ratios) for run in runs])
    errors = measure_errors(runs, fit)
    return WalkRow(
        model,
        condition,
        phase,
        len(runs),
        len(runs[0].ratios),
        float(np.mean([run.ratios.mean() for run in runs])),
        *autocorrelation[:3],
        float(np.mean([walk_tests.compute_variance_ratio(each) for each in increments])),
        walk_tests.compute_common_share(increments),
        float(np.mean(boxes)),
        float(np.mean([statistic > walk_tests.JARQUE_BERA_LIMIT for statistic, _ in normality])),
        float(np.mean([excess for _, excess in normality])),
        float(np.mean([(each**2).mean() for each in increments])),
        *fit[:5],
        compute_steady_gain(OFFICIAL_NOISE, OFFICIAL_NOISE),
        *(errors[name] for name in ("hold", "ema", "official", "fitted", "line")),
    )


def print_rows(rows: Sequence[WalkRow]) -> None:
    """The figures that a reader needs, in columns."""
    names = ("model", "condition", "phase", "runs", "autocorrelation", "variance_ratio", "common_share")
    names += ("ljung_box_rejected", "jarque_bera_rejected", "fitted_q", "fitted_r", "fitted_gain")
    names += ("error_hold", "error_ema", "error_official", "error_fitted", "error_line")
    table([names, *(tuple(_format(getattr(row, name)) for name in names) for row in rows)])


def _format(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, write the CSV and the chart; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULTS")
    parser.add_argument("--csv", type=Path, help="write every figure here")
    parser.add_argument("--chart", type=Path, help="write the picture here, as PNG or SVG")
    options = parser.parse_args(arguments)
    try:
        trajectories = read_trajectories(read_results(options.results))
    except (ValueError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    if not trajectories:
        parser.exit(2, f"{parser.prog}: no run computed every step: run benchmarks.paper.every_step first\n")
    rows = describe_walks(trajectories)
    print_rows(rows)
    if options.csv is not None:
        save_csv(rows, options.csv)
    if options.chart is not None:
        save_walk_chart(trajectories, options.chart)
    return 0


if __name__ == "__main__":
    sys.exit(main())
