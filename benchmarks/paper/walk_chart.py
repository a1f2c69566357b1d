"""The picture of the ratio and of its increments, a column a model and sampler."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from benchmarks.paper.walk_predictors import Trajectory

TONE, MEAN, GREY = "#2a7fc9", "#e0622b", "#777777"
EXPECTED = math.sqrt(0.05 + 2 * 0.05)  # spread of an observed increment, Q + 2R, with the paper's noises


def save_walk_chart(trajectories: Mapping[tuple[str, str], Sequence[Trajectory]], path: Path) -> None:
    """Above, each run's ratio and their mean; below, the size of its increments, and what the paper's noises expect."""
    figure = Figure(figsize=(1.75 * len(trajectories) + 0.5, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(2, len(trajectories), squeeze=False, sharex="col")
    for column, (place, runs) in enumerate(trajectories.items()):
        _draw_curves(panels[0][column], [run.ratios for run in runs], 1)
        _draw_curves(panels[1][column], [np.abs(np.diff(run.ratios)) for run in runs], 2)
        panels[1][column].axhline(EXPECTED, color=GREY, linewidth=1.0, linestyle="--")
        panels[0][column].set_title(", ".join(place), fontsize=9)
        panels[1][column].set_xlabel("step", fontsize=8)
    panels[0][0].set_ylabel("ratio")
    panels[1][0].set_ylabel("|increment|, and what Q = R = 0.05 expect", fontsize=8)
    figure.savefig(path, dpi=110)


def _draw_curves(axes: Axes, runs: Sequence[np.ndarray], first: int) -> None:
    for run in runs:
        axes.plot(range(first, first + len(run)), run, color=TONE, linewidth=0.6, alpha=0.45)
    bold = np.sqrt(np.mean([run**2 for run in runs], axis=0))
    axes.plot(range(first, first + len(bold)), bold, color=MEAN, linewidth=1.6)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(labelsize=7)
