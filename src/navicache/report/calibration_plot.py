"""Plot a shadow run: the predicted against the true error of every reused step."""

import math
import os
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

from navicache.records import (
    ERROR_FIELD_LABELS,
    ReuseCheck,
    RunRecord,
    collect_reuse_checks,
    compute_share_within_limit,
    compute_share_within_prediction,
    describe_savings,
    read_max_error,
)
from navicache.report.trace_plot import BLUE, GREY, INK, PALE, VERMILION, draw_frame, new_figure, save_figure

SIZE = (8.4, 7.2)
TRAJECTORIES = {"cached": "on the cached trajectory", "full": "on the uncached trajectory"}


def has_checked_reuses(run: RunRecord) -> bool:
    """Whether a run has reused steps with a predicted and a true error.

    Example:
        >>> has_checked_reuses(RunRecord(model="Toy", policy="static"))
        False
    """
    return bool(_drawable_steps(collect_reuse_checks(run)))


def draw_calibration(run: RunRecord) -> Figure:
    """A dot for each reused step, and the share that stayed within the prediction or the limit."""
    steps = collect_reuse_checks(run)
    shown = _drawable_steps(steps)
    if not shown:
        raise ValueError(
            "no reused step here has both a predicted and a true error: run navicache.enable(..., shadow='cached') "
            "with a policy that predicts one (inertial, navicache, easycache, ema) and a threshold at which it reuses"
        )
    figure = new_figure(SIZE)
    shares = _shares_within(run, steps)
    upper, lower = figure.subplots(2, 1, height_ratios=[6.0, 0.45 * len(shares) + 0.2])
    _draw_dots(figure, upper, run, shown)
    if len(shown) < len(steps):
        text = f"{len(steps) - len(shown)} of {len(steps)} not shown: zero, unknown or not finite"
        upper.text(0.99, 0.02, text, transform=upper.transAxes, ha="right", fontsize=8.5, color=GREY)
    _draw_shares(lower, shares)
    _draw_heading(figure, run)
    return figure


def save_calibration_plot(run: RunRecord, path: str | os.PathLike[str]) -> None:
    """Save `draw_calibration` as .png or .svg, atomically."""
    save_figure(lambda: draw_calibration(run), path)


def _drawable_steps(steps: Sequence[ReuseCheck]) -> list[tuple[int, float, float]]:
    """Step, predicted and true error where both have a logarithm."""
    known = [(step.index, step.predicted_error, step.true_error) for step in steps if step.predicted_error is not None]
    return [(i, b, t) for i, b, t in known if b > 0 and t > 0 and math.isfinite(b + t)]


def _shares_within(run: RunRecord, steps: Sequence[ReuseCheck]) -> dict[str, float | None]:
    shares = {"within the predicted": compute_share_within_prediction(steps)}
    limit = read_max_error(run)
    if limit is not None:
        shares[f"within max_error {limit:g}"] = compute_share_within_limit(steps, limit)
    return shares


def _draw_dots(figure: Figure, axes: Axes, run: RunRecord, shown: Sequence[tuple[int, float, float]]) -> None:
    """Above the diagonal the policy was too optimistic, below it too cautious."""
    index, believed, true = zip(*shown, strict=True)
    low, high = min(*believed, *true) / 1.4, max(*believed, *true) * 1.4
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    axes.plot([low, high], [low, high], color=INK, linewidth=1.1, linestyle=(0, (5, 3)), label="as predicted", zorder=1)
    limit = read_max_error(run)
    if limit is not None and low < limit < high:
        axes.axhline(limit, color=VERMILION, linewidth=1.1, label=f"max_error {limit:g}", zorder=1)
    style: dict[str, Any] = {"s": 34, "cmap": "viridis", "edgecolors": "white", "linewidths": 0.5, "zorder": 2}
    dots = axes.scatter(believed, true, c=index, vmin=0, vmax=max(run.total or 0, max(index) + 1) - 1, **style)
    bar = figure.colorbar(dots, ax=axes, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label("step", fontsize=9, color=INK)
    bar.ax.tick_params(labelsize=9, colors=GREY, labelcolor=INK)
    belief = "belief" if run.belief is None else ERROR_FIELD_LABELS[run.belief]
    axes.set_xlabel(belief, fontsize=9.5, color=INK)
    axes.set_ylabel("true error of the reuse, relative to the output", fontsize=9.5, color=INK)
    axes.legend(loc="upper left", fontsize=9, frameon=True, framealpha=1, edgecolor="none")
    axes.set_label("calibration")
    draw_frame(axes)
    _set_log_ticks(axes, decades=math.log10(high / low))
    for text, x, y, side in (("above: too sure", 0.02, 0.83, "left"), ("below: too cautious", 0.98, 0.07, "right")):
        axes.text(x, y, text, transform=axes.transAxes, ha=side, fontsize=9, color=GREY)


def _set_log_ticks(axes: Axes, decades: float) -> None:
    """Plain numbers, and enough of them where the errors span little."""
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0,) if decades > 3 else (1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def _draw_shares(axes: Axes, shares: dict[str, float | None]) -> None:
    for row, share in enumerate(shares.values()):
        axes.barh(row, 1.0, color=PALE, height=0.62)
        axes.barh(row, share or 0.0, color=BLUE, height=0.62)
        axes.text(1.01, row, "-" if share is None else f"{share:.0%}", va="center", fontsize=9.5, color=INK)
    axes.set_yticks(range(len(shares)), list(shares))
    axes.set(xlim=(0, 1), ylim=(len(shares) - 0.45, -0.55))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel("share of the reused steps whose true error stayed within", fontsize=9.5, color=INK)
    axes.set_label("shares")
    draw_frame(axes)


def _draw_heading(figure: Figure, run: RunRecord) -> None:
    where = "" if run.shadow is None else f", {TRAJECTORIES[run.shadow]}"
    title = f"{run.policy} on {run.model}{where}"
    style: dict[str, Any] = {"ha": "left", "va": "top", "parse_math": False}
    figure.text(0.012, 0.988, title[:75], fontsize=12, fontweight="bold", color=INK, **style)
    figure.text(0.012, 0.952, describe_savings(run)[:110], fontsize=9.5, color=GREY, **style)
    figure.set_layout_engine("constrained", rect=(0, 0, 1, 0.92))
