"""Plot a calibration, so that a bad fit is visible."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from navicache.engine import ProbeMeasurement
from navicache.models import Calibration
from navicache.report.trace_plot import BLUE, GREY, INK, VERMILION, draw_frame, new_figure, save_figure

SIZE = (8.4, 5.0)


def save_fit_plot(calibration: Calibration, seen: Sequence[Any], path: str | os.PathLike[str]) -> None:
    """Draw the measurements and the fit, as .png."""
    figure = new_figure(SIZE)
    axes = figure.subplots()
    DRAW_METHOD[calibration.method](axes, calibration, seen)
    draw_frame(axes)
    axes.legend(fontsize=9, frameon=False)
    save_figure(lambda: figure, path)


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
    _label_axes(
        axes,
        f"relative change of the signal ({calibration.knobs['signal']})",
        "relative change of the output",
        f"TeaCache on {calibration.model}",
    )


def _draw_ratios(axes: Axes, calibration: Calibration, sights: Sequence[ProbeMeasurement]) -> None:
    known = [s for s in sights if s.residual_ratio is not None]
    ratios = [s.residual_ratio or 0.0 for s in known]
    axes.scatter([s.index for s in known], ratios, s=10, alpha=0.4, color=GREY, label="measured")
    table: Sequence[float] = calibration.knobs["ratios"]
    branches = 2 if calibration.knobs["interleaved"] else 1
    for branch, colour in zip(range(branches), (BLUE, VERMILION), strict=False):
        own = table[branch::branches]
        axes.plot(range(len(own)), own, color=colour, label="table" if branches == 1 else f"table, call {branch + 1}")
    _label_axes(
        axes, "step", "length of the blocks' residual, over that of the step before", f"MagCache on {calibration.model}"
    )


def _draw_weights(axes: Axes, calibration: Calibration, errors: Sequence[tuple[int, float, float]]) -> None:
    steps, held, predicted = zip(*errors, strict=True)
    axes.plot(steps, held, color=GREY, label="the output before, held")
    axes.plot(steps, predicted, color=VERMILION, label="predicted by the weights")
    axes.set_yscale("log")
    _label_axes(axes, "step", "relative error, one step ahead", f"L2P on {calibration.model}")


def _draw_edges(axes: Axes, calibration: Calibration, edges: Sequence[tuple[int, int, float]]) -> None:
    for length, colour in ((2, BLUE), (4, VERMILION), (8, GREY)):
        known = [(start, cost) for start, end, cost in edges if end - start == length]
        axes.plot([s for s, _ in known], [c for _, c in known], color=colour, label=f"over {length} steps")
    _label_axes(
        axes,
        "computed step that it starts from",
        "mean error of the average velocity",
        f"MeanCache on {calibration.model}",
    )


def _label_axes(axes: Axes, x: str, y: str, title: str) -> None:
    axes.set_xlabel(x, fontsize=9.5, color=INK)
    axes.set_ylabel(y, fontsize=9.5, color=INK)
    axes.set_title(title, fontsize=12, fontweight="bold", loc="left", color=INK)


DRAW_METHOD = {"teacache": _draw_polynomial, "magcache": _draw_ratios, "l2p": _draw_weights, "meancache": _draw_edges}
