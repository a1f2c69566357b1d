"""Draw the lists that others compute on published weights, and the default below them.

    python -m benchmarks.quality.list_chart --computed 13 --out docs/images/published_lists.png

A row for each list of a budget, a dot for each computed step. The searched lists and the default are printed too.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.quality.list_distance import BUDGETS, DEFAULT, SHIFTS, TOTAL, choose_default, list_counted

COLOURS = {"searched": "#2a7fc9", "planned": "#12996f", "gate": "#8a8f98", DEFAULT: "#e0622b"}
LABELS = {"searched": "searched", "planned": "planned", "gate": "most frequent choice of a gate", DEFAULT: DEFAULT}
STYLE: dict[Any, Any] = {"font.size": 9, "axes.edgecolor": "#c8ccd2", "axes.titlelocation": "left"}


class Row(NamedTuple):
    """A list of a budget, by what made it."""

    name: str
    kind: str
    steps: Sequence[int]


def list_rows(model: str, computed: int) -> list[Row]:
    """The published lists of a model, and the default last."""
    rows = [
        Row(each.method.replace("_", " "), each.kind, each.at)
        for each in list_counted()
        if (each.model, each.computed) == (model, computed)
    ]
    return [*rows, Row(DEFAULT, DEFAULT, choose_default(model, computed))]


def draw_chart(computed: int) -> Figure:
    """A panel for each model."""
    rows = {model: list_rows(model, computed) for model in SHIFTS}
    heights = [len(each) + 1 for each in rows.values()]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.4, 0.75 + 0.235 * sum(heights)), layout="constrained")
        panels: list[Axes] = list(figure.subplots(len(rows), 1, sharex=True, height_ratios=heights))
        for axes, (model, own) in zip(panels, rows.items(), strict=True):
            draw_model(axes, model, own)
        panels[-1].set_xlabel(f"step, {computed} of {TOTAL} computed")
        shown = dict.fromkeys(row.kind for own in rows.values() for row in own)
        marks = [panels[0].plot([], [], "o", color=COLOURS[kind], label=LABELS[kind])[0] for kind in shown]
        figure.legend(handles=marks, loc="outside upper center", ncols=len(marks), frameon=False, handletextpad=0.1)
    return figure


def draw_model(axes: Axes, model: str, rows: Sequence[Row]) -> None:
    """A row of dots for each list."""
    for height, row in enumerate(rows):
        axes.axhline(height, color="#e4e6ea", linewidth=0.7, zorder=0)
        axes.plot(row.steps, [height] * len(row.steps), "o", color=COLOURS[row.kind], markersize=5, markeredgewidth=0)
    axes.set_title(model, fontsize=9)
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(-1, TOTAL)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def draw_lines(computed: int) -> list[str]:
    """The searched lists and the default as text.

    Example:
        >>> print(draw_lines(9)[0])
        FLUX.1-dev       hill climbing         ■■■■·■··■····■·············■·····················■
    """
    return [
        f"{model:15}  {row.name:20}  {draw_steps(row.steps)}"
        for model in SHIFTS
        for row in list_rows(model, computed)
        if row.kind in ("searched", DEFAULT)
    ]


def draw_steps(steps: Sequence[int], total: int = TOTAL) -> str:
    """A square for each computed step, a dot for each reused one.

    Example:
        >>> draw_steps([0, 1, 3, 7], 8)
        '■■·■···■'
    """
    return "".join("■" if step in steps else "·" for step in range(total))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the lists and save the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--computed", type=int, choices=BUDGETS, default=13, help="of 50 steps (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("build/published_lists.png"), help="(%(default)s)")
    options = parser.parse_args(arguments)
    print(*draw_lines(options.computed), sep="\n")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    draw_chart(options.computed).savefig(options.out, dpi=130)
    print(options.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
