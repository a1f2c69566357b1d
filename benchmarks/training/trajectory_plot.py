"""Trajectories of full runs as a picture: mean line and spread over the prompts, one colour a scheduler."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

COLOURS = ("#0072B2", "#D55E00", "#009E73")  # after Okabe and Ito
INK, GREY = "#222222", "#666666"
TURBULENT = 2.0  # times the smallest mean ratio
PANELS = {
    "ratio": "ratio: mean|Δoutput| / mean|Δlatent| between neighbouring steps; shaded: twice its minimum or more",
    "change": "relative change of the output: mean|Δoutput| / mean|output|",
}
Trajectories = Mapping[str, Mapping[str, Sequence[Sequence[float]]]]


def save_plot(trajectories: Trajectories, path: Path, subtitle: str) -> None:
    """Two panels above one step axis, the turbulent ends shaded in the first."""
    figure = Figure(figsize=(9.6, 7.4), dpi=130, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(PANELS), 1, sharex=True)
    for axes, (quantity, caption) in zip(panels, PANELS.items(), strict=True):
        _draw(axes, {name: np.array(found[quantity]) for name, found in trajectories.items()})
        axes.set_title(caption, loc="left", fontsize=10, color=INK, pad=8)
    _regions(panels, np.mean([np.array(found["ratio"]).mean(0) for found in trajectories.values()], 0))
    panels[0].legend(loc="upper center", ncols=3, fontsize=9, frameon=False, bbox_to_anchor=(0.5, 0.9))
    panels[-1].set_xlabel("denoising step (0: pure noise); line: mean over the prompts, band: 10 to 90 %", fontsize=9)
    _head(figure, ("Turbulent start, smooth middle, turbulent end?", f"embedded model, conditional branch, {subtitle}"))
    figure.savefig(path)


def _head(figure: Figure, lines: tuple[str, str]) -> None:
    figure.text(0.008, 0.99, lines[0], va="top", fontsize=12, fontweight="bold", color=INK)
    figure.text(0.008, 0.955, lines[1], va="top", fontsize=9.5, color=GREY)
    figure.set_layout_engine("constrained", rect=(0, 0, 1, 0.925))


def turbulent_ends(mean_ratio: np.ndarray) -> tuple[int, int]:
    """First and last step of the smooth middle, where the mean ratio is below twice its smallest value.

    Example:
        >>> turbulent_ends(np.array([4.0, 3.0, 1.5, 1.0, 1.2, 2.5]))
        (3, 5)
    """
    smooth = np.flatnonzero(mean_ratio < TURBULENT * mean_ratio.min())
    return int(smooth[0]) + 1, int(smooth[-1]) + 1


def _draw(axes: Axes, found: Mapping[str, np.ndarray]) -> None:
    for (name, rows), colour in zip(found.items(), COLOURS, strict=False):
        steps = np.arange(1, rows.shape[1] + 1)
        low, high = np.quantile(rows, (0.1, 0.9), axis=0)
        axes.fill_between(steps, low, high, color=colour, alpha=0.16, linewidth=0)
        axes.plot(steps, rows.mean(0), color=colour, linewidth=1.7, marker=".", markersize=3.5, label=name)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(10, (1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=GREY, labelcolor=INK, labelsize=9)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.6)


def _regions(panels: Sequence[Axes], mean_ratio: np.ndarray) -> None:
    """Shade what the paper calls turbulent, by our rule: a mean ratio at least twice the smallest one."""
    start, end = turbulent_ends(mean_ratio)
    last = len(mean_ratio)
    spans = {"turbulent start": (0.5, start - 0.5), "smooth middle": (start - 0.5, end + 0.5)}
    spans["turbulent end"] = (end + 0.5, last + 0.5)
    for (name, (left, right)), side in zip(spans.items(), ("left", "center", "right"), strict=True):
        for axes in panels if side != "center" else ():
            axes.axvspan(left, right, color="#f2ead8", zorder=0, linewidth=0)
        if right > left:  # the ends' names begin and end where the picture does: a narrow end is shorter than its name
            x = {"left": left + 0.3, "center": (left + right) / 2, "right": right - 0.3}[side]
            place = {"x": x, "y": 0.98, "transform": panels[0].get_xaxis_transform()}
            panels[0].text(s=name, ha=side, va="top", fontsize=8.5, color=GREY, **place)
    panels[0].set_xlim(0.5, last + 0.5)
