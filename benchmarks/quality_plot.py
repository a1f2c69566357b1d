"""The curves of the quality benchmark as pictures: one panel for each scheduler and number of steps."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from quality_bars import FALLEN, SPEED_BARS, STEP_BARS, Bar
from quality_rows import Results, Row

INK, GREY, PALE = "#222222", "#666666", "#E6E6E6"
COLOURS = {  # after Okabe and Ito
    "inertial": "#0072B2",
    "navicache": "#D55E00",
    "easycache": "#E69F00",
    "seacache": "#009E73",
    "taylorseer": "#CC79A7",
}
MARKERS, DASHES = "os^Dvxp*", ("-", (0, (5, 2)), (0, (2, 2)), (0, (1, 1)), "-.")
KINDS: dict[str, tuple[str, str, Sequence[Bar]]] = {
    "steps": ("computed", "computed steps, mean over the prompts", STEP_BARS),
    "one by one": ("speedup", "times as fast, denoising by the clock on some of the prompts", SPEED_BARS),
    "timed": ("speedup", "times as fast, denoising by the clock, one prompt at a time", SPEED_BARS),
}


def save_plots(results: Results, folder: Path) -> list[Path]:
    """One picture for each set of prompts, dtype and device, of either kind."""
    paths = []
    for kind in KINDS:
        sheets: dict[tuple[Any, ...], list[Row]] = {}
        for condition in results.conditions(kind):
            named = tuple(condition[name] for name in ("set", "prompts", "dtype", "device"))
            sheets.setdefault(named, []).append(condition)
        for named, conditions in sheets.items():
            paths.append(folder / f"{kind}_{'_'.join(map(str, named))}.png".replace(":", "").replace(" ", "_"))
            _sheet(results, conditions, kind).savefig(paths[-1])
    return paths


def _sheet(results: Results, conditions: Sequence[Row], kind: str) -> Figure:
    """The panels side by side on one PSNR axis, under one legend."""
    figure = Figure(figsize=(1.6 + 5.2 * len(conditions), 5.8), dpi=130, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(conditions), sharey=True, squeeze=False)[0]
    styles = _styles({row["curve"]: row["group"] for c in conditions for row in results.of(c)})
    for axes, condition in zip(panels, conditions, strict=True):
        rows = results.of(condition) if kind == "steps" else results.with_speed(condition)
        _panel(axes, rows, styles, kind)
        axes.set_title("{scheduler}, {steps} steps".format(**condition), loc="left", fontsize=10, color=INK)
        _marks(axes, condition, kind)
    panels[0].set_ylabel("PSNR against the run with every step computed, dB", fontsize=9, color=INK)
    handles = [Line2D([], [], label=name, **style) for name, style in styles.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(6, len(handles)), fontsize=8.5, frameon=False)
    about = "{prompts} {set} prompts, guidance {guidance:g}, {dtype} on {device}".format(**conditions[0])
    figure.suptitle(f"Quality of the embedded model: {about}", fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def _styles(groups: dict[str, str]) -> dict[str, dict[str, Any]]:
    """A colour for each policy; dashes and markers tell its curves apart."""
    seen: dict[str, int] = {}
    styles = {}
    for name, group in groups.items():
        number = seen[group] = seen.get(group, -1) + 1
        dash, marker = DASHES[number % len(DASHES)], MARKERS[number % len(MARKERS)]
        styles[name] = {"color": COLOURS[group], "linestyle": dash, "marker": marker, "markersize": 4, "linewidth": 1.4}
    return styles


def _panel(axes: Axes, rows: Sequence[Row], styles: dict[str, dict[str, Any]], kind: str) -> None:
    axis, label, _ = KINDS[kind]
    for name in dict.fromkeys(row["curve"] for row in rows):
        own = [
            row for row in rows if row["curve"] == name and row["computed"] < row["steps"]
        ]  # else it is the reference
        points = [(row[axis], row["psnr"]) for row in sorted(own, key=lambda row: row["setting"])]
        axes.plot([x for x, _ in points], [y for _, y in points], **styles[name])
    axes.set_xlabel(label, fontsize=9, color=INK)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=GREY, labelcolor=INK, labelsize=9)
    axes.grid(axis="y", color=PALE, linewidth=0.6)


def _marks(axes: Axes, condition: Row, kind: str) -> None:
    """Thin lines where ours is judged, within what was measured."""
    low, high = axes.get_xlim()
    places = {bar.at for bar in KINDS[kind][2] if bar.steps in (None, condition["steps"]) and bar.at is not None}
    for place in (place for place in places if low < place < high):
        axes.axvline(place, color=GREY, linewidth=0.6, linestyle=(0, (1, 3)), zorder=0)
    bottom, top = axes.get_ylim()
    if kind == "steps" and bottom < FALLEN < top:
        axes.axhline(FALLEN, color=GREY, linewidth=0.6, linestyle=(0, (1, 3)), zorder=0)
