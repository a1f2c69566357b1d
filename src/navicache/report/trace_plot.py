"""Plot a run: ratio, error and schedule over the steps."""

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from navicache.records import RunRecord, describe_savings, open_atomic_file, ratio_is_error_growth
from navicache.report.trace_curves import Curves, Rows, drop_gaps, read_curves, read_rows

BLUE, PALE, VERMILION, INK, GREY = "#0072B2", "#BBD6E8", "#D55E00", "#222222", "#666666"  # after Okabe and Ito
SUFFIXES = (".png", ".svg")
LEGEND: dict[str, Any] = {"fontsize": 9, "frameon": False, "handlelength": 1.4, "columnspacing": 1.4}
HEAD = 0.58  # inches above the panels
MOST_ROW_LABELS = 16
ERROR_ROOM = 2.5  # reuse errors above this multiple of the other heights are marked at the edge


def draw_trace(run: RunRecord, sample: int = 0) -> Figure:
    """Draw the leading stream of one sample; the strip below shows every stream, or every sample where several.

    A panel about which the policy knows nothing is left out: a fixed schedule is a strip alone.

    Example:
        >>> from navicache.records import StepRecord
        >>> steps = tuple(StepRecord(index=i, stream="0", computed=i % 2 == 0, reason="schedule") for i in range(6))
        >>> [axes.get_label() for axes in draw_trace(RunRecord(model="Toy", policy="static", steps=steps)).axes]
        ['schedule']
    """
    if not run.steps:
        raise ValueError("this run has no step yet: draw it after the model was called")
    curves, rows = read_curves(run, sample), read_rows(run, sample)
    panels = [draw for draw, names in PANELS.items() if any(drop_gaps(curves[name]) for name in names)]
    heights = [*(2.2 for _ in panels), 0.25 * min(len(rows), MOST_ROW_LABELS) + 0.05]
    size = (9.6, HEAD + sum(heights) + 0.42 * len(heights) + 0.4)
    figure = new_figure(size)
    axes: list[Axes] = list(figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0])
    for draw, panel in zip(panels, axes, strict=False):
        draw(panel, curves, run)
    _draw_strip(axes[-1], rows)
    _draw_step_axis(axes[-1], run)
    _draw_heading(figure, run, sample)
    return figure


def save_trace_plot(run: RunRecord, path: str | os.PathLike[str], sample: int = 0) -> None:
    """Save `draw_trace` as .png or .svg, atomically."""
    save_figure(lambda: draw_trace(run, sample), path)


def save_figure(draw: Callable[[], Figure], path: str | os.PathLike[str]) -> None:
    """Save what `draw` returns as .png or .svg, atomically."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"cannot save a picture as {os.fspath(path)!r}: end its name with {' or '.join(SUFFIXES)}")
    figure = draw()
    with open_atomic_file(path) as file:
        figure.savefig(file, format=suffix[1:])


def new_figure(size: tuple[float, float]) -> Figure:
    """An empty white figure for a file; the size is in inches."""
    figure = Figure(figsize=size, dpi=130, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def draw_frame(axes: Axes) -> None:
    """Draw the left and the lower line of a panel."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=GREY, labelcolor=INK, labelsize=9)


def _draw_ratio_panel(axes: Axes, curves: Curves, run: RunRecord) -> None:
    """The estimate with its uncertainty, and the measurements."""
    index, ratio, measured = curves["index"], curves["ratio"], curves["measured_ratio"]
    spread = [math.sqrt(v) if v >= 0 else math.nan for v in curves["variance"]]
    edges = [*ratio, *measured]
    for width, alpha in ((2, 0.14), (1, 0.26)):
        low, high = ([r + side * width * s for r, s in zip(ratio, spread, strict=True)] for side in (-1, 1))
        if drop_gaps(low):
            axes.fill_between(index, low, high, color=BLUE, alpha=alpha, linewidth=0, label=f"±{width} std")
            edges += [*low, *high]
    if drop_gaps(ratio):
        axes.plot(index, ratio, color=BLUE, linewidth=1.7, marker=".", markersize=3, label="estimate")
    if drop_gaps(measured):
        _draw_points(axes, index, measured, "measured")
    middle, wide = drop_gaps([*ratio, *measured]), drop_gaps(edges)
    room = 0.5 * (max(middle) - min(middle)) or 1.0  # a huge first variance must not flatten the curve
    low, high = max(min(wide), min(middle) - room, min(0.0, min(middle))), min(max(wide), max(middle) + room)
    axes.set_ylim(low - 0.05 * (high - low or 1.0), high + 0.05 * (high - low or 1.0))
    words = "growth: error of a prediction per distance of the input", "ratio: output change per input change"
    _finish_panel(axes, "ratio", words[0] if ratio_is_error_growth(run) else words[1])


def _draw_accumulated_error_panel(axes: Axes, curves: Curves, _: RunRecord) -> None:
    """The accumulated error as bars, the threshold, and the errors of reused steps."""
    index, accumulated = curves["index"], curves["accumulated"]
    for wanted, colour, label in ((0, PALE, "accumulated, reused"), (1, BLUE, "accumulated, computed")):
        heights = [a if c == wanted else math.nan for a, c in zip(accumulated, curves["computed"], strict=True)]
        if drop_gaps(heights):
            axes.bar(index, heights, width=0.8, color=colour, label=label)
    if limits := set(drop_gaps(curves["threshold"])):
        label = f"threshold {limits.pop():.3g}" if len(limits) == 1 else "threshold"
        axes.step(*_threshold_steps(curves), color=INK, linewidth=1.2, linestyle=(0, (5, 3)), label=label)
    _draw_reuse_errors(axes, curves)
    _finish_panel(axes, "error", "error, relative to the output")


def _threshold_steps(curves: Curves) -> tuple[list[float], list[float]]:
    """The threshold over the full width of each step."""
    edges = [i + side for i in curves["index"] for side in (-0.5, 0.5)]
    return edges, [limit for limit in curves["threshold"] for _ in range(2)]


def _draw_reuse_errors(axes: Axes, curves: Curves) -> None:
    """Points on the scale of the bars, and marks at the upper edge for those far beyond it."""
    index, errors = curves["index"], curves["reuse_error"]
    heights = drop_gaps([*curves["accumulated"], *curves["threshold"]])
    top = ERROR_ROOM * max(heights, default=0.0) or math.inf
    inside = [error if error <= top else math.nan for error in errors]
    beyond = [i for i, error in zip(index, errors, strict=True) if error > top]
    axes.set_ylim(0, 1.08 * max([*heights, *drop_gaps(inside)], default=0.0) or 1.0)
    if drop_gaps(errors):
        label = f"reuse error (▲ up to {max(drop_gaps(errors)):.2g})" if beyond else "reuse error"
        _draw_points(axes, index, inside, label)
    if beyond:
        style: dict[str, Any] = {"color": VERMILION, "markersize": 6, "markeredgewidth": 0, "linestyle": "none"}
        axes.plot(beyond, [0.97 for _ in beyond], marker="^", transform=axes.get_xaxis_transform(), **style)


def _draw_points(axes: Axes, index: Sequence[float], values: Sequence[float], label: str) -> None:
    style: dict[str, Any] = {"color": VERMILION, "markersize": 4.6, "markeredgecolor": "white", "markeredgewidth": 0.5}
    axes.plot(index, values, "o", label=label, **style)


def _draw_strip(axes: Axes, rows: Rows) -> None:
    """One row of cells per stream or sample; missing steps stay empty."""
    for wanted, colour, label in ((True, BLUE, "computed"), (False, PALE, "reused")):
        for row, (_, steps) in enumerate(rows):
            cells = [(step.index - 0.45, 0.9) for step in steps if step.computed == wanted]
            axes.broken_barh(cells, (row - 0.4, 0.8), facecolors=colour, label=label if row == 0 else None, gid=label)
    every = math.ceil(len(rows) / MOST_ROW_LABELS)
    axes.set_yticks(range(0, len(rows), every), [name for name, _ in rows[::every]], parse_math=False)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    _finish_panel(axes, "schedule", "schedule")


def _finish_panel(axes: Axes, name: str, caption: str) -> None:
    """Draw frame, caption and legend of a panel."""
    axes.set_label(name)
    axes.set_title(caption, loc="left", fontsize=10, color=INK, pad=7)
    draw_frame(axes)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=5, borderaxespad=0.0, **LEGEND)


def _draw_step_axis(axes: Axes, run: RunRecord) -> None:
    """The axis of the whole run if its length is known."""
    indices = [step.index for step in run.steps]
    first = 0 if run.total else min(indices)
    axes.set_xlim(first - 0.6, max(run.total or 0, max(indices) + 1) - 0.4)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12))
    axes.set_xlabel("step", fontsize=9, color=INK)


def _draw_heading(figure: Figure, run: RunRecord, sample: int) -> None:
    """Policy, model and step counts in two lines; long names are cut."""
    height = float(figure.get_figheight())
    parts = [describe_savings(run), ", ".join(f"{name}={value}" for name, value in run.settings.items())]
    if run.samples > 1 and len(figure.axes) > 1:
        parts.insert(1, f"curves: sample {sample}")
    lines = (
        (f"{run.policy} on {run.model}", 0.08, 12, 75, "bold", INK),
        ("   |   ".join(filter(None, parts)), 0.34, 9.5, 140, "normal", GREY),
    )
    for text, down, size, most, weight, colour in lines:
        text = text if len(text) <= most else f"{text[: most - 3]}..."
        style: dict[str, Any] = {"fontsize": size, "fontweight": weight, "color": colour, "parse_math": False}
        figure.text(0.008, 1 - down / height, text, va="top", **style)
    figure.set_layout_engine("constrained", rect=(0, 0, 1, 1 - HEAD / height))


PANELS = {_draw_ratio_panel: ("ratio", "measured_ratio"), _draw_accumulated_error_panel: ("accumulated", "reuse_error")}
