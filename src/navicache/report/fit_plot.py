"""Plot a calibration, so that a bad fit is visible."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from navicache.engine import ProbeMeasurement
from navicache.models import Calibration
from navicache.records import open_atomic_file
from navicache.report.trace_plot import BLUE, GREY, INK, VERMILION

SIZE = (8.4, 5.0)


def save_fit_plot(calibration: Calibration, seen: Sequence[Any], path: str | os.PathLike[str]) -> None:
    """Draw the measurements and the fit, as .png."""
    figure = Figure(figsize=SIZE, dpi=130, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    DRAW_METHOD[calibration.method](axes, calibration, seen)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=GREY, labelcolor=INK, labelsize=9)
    axes.legend(fontsize=9, frameon=False)
    with open_atomic_file(path) as file:
        figure.savefig(file, format="png")


def _draw_polynomial(axes: Axes, calibration: Calibration, sights: Sequence[ProbeMeasurement]) -> None:
    known = [s for s in sights if s.signal_change is not None and s.output_change is not None]
    x = [s.signal_change or 0.0 for s in known]
    style: dict[str, Any] = {"s": 16, "alpha": 0.6, "cmap": "viridis", "linewidths": 0}
    dots = axes.scatter(x, [s.output_change or 0.0 for s in known], c=[s.index for s in known], **style)
    grid = np.linspace(min(x), max(x), 300)
    curve = np.polyval(np.array(calibration.knobs["coefficients"]), grid)
    axes.plot(grid, curve, color=VERMILION, label=f"fit, R² = {calibration.quality['r2']:.3f}")
    bar = axes.figure.colorbar(dots, ax=axes, pad=0.02)
    bar.outline.set_visible(False)  # pyright: ignore[reportCallIssue]
    bar.set_label("step", fontsize=9, color=INK)
    axes.set_xlabel(f"relative change of the signal ({calibration.knobs['signal']})", fontsize=9.5, color=INK)
    axes.set_ylabel("relative change of the output", fontsize=9.5, color=INK)
    axes.set_title(f"TeaCache on {calibration.model}", fontsize=12, fontweight="bold", loc="left", color=INK)


def _draw_ratios(axes: Axes, calibration: Calibration, sights: Sequence[ProbeMeasurement]) -> None:
    known = [s for s in sights if s.residual_ratio is not None]
    ratios = [s.residual_ratio or 0.0 for s in known]
    axes.scatter([s.index for s in known], ratios, s=10, alpha=0.4, color=GREY, label="measured")
    table: Sequence[float] = calibration.knobs["ratios"]
    branches = 2 if calibration.knobs["interleaved"] else 1
    for branch, colour in zip(range(branches), (BLUE, VERMILION), strict=False):
        own = table[branch::branches]
        axes.plot(range(len(own)), own, color=colour, label="table" if branches == 1 else f"table, call {branch + 1}")
    axes.set_xlabel("step", fontsize=9.5, color=INK)
    axes.set_ylabel("length of the blocks' residual, over that of the step before", fontsize=9.5, color=INK)
    axes.set_title(f"MagCache on {calibration.model}", fontsize=12, fontweight="bold", loc="left", color=INK)


def _draw_weights(axes: Axes, calibration: Calibration, errors: Sequence[tuple[int, float, float]]) -> None:
    steps, held, predicted = zip(*errors, strict=True)
    axes.plot(steps, held, color=GREY, label="the output before, held")
    axes.plot(steps, predicted, color=VERMILION, label="predicted by the weights")
    axes.set_yscale("log")
    axes.set_xlabel("step", fontsize=9.5, color=INK)
    axes.set_ylabel("relative error, one step ahead", fontsize=9.5, color=INK)
    axes.set_title(f"L2P on {calibration.model}", fontsize=12, fontweight="bold", loc="left", color=INK)


def _draw_edges(axes: Axes, calibration: Calibration, edges: Sequence[tuple[int, int, float]]) -> None:
    for length, colour in ((2, BLUE), (4, VERMILION), (8, GREY)):
        known = [(start, cost) for start, end, cost in edges if end - start == length]
        axes.plot([s for s, _ in known], [c for _, c in known], color=colour, label=f"over {length} steps")
    axes.set_xlabel("computed step that it starts from", fontsize=9.5, color=INK)
    axes.set_ylabel("mean error of the average velocity", fontsize=9.5, color=INK)
    axes.set_title(f"MeanCache on {calibration.model}", fontsize=12, fontweight="bold", loc="left", color=INK)


DRAW_METHOD = {"teacache": _draw_polynomial, "magcache": _draw_ratios, "l2p": _draw_weights, "meancache": _draw_edges}
