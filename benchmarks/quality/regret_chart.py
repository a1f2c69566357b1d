"""Draw the regrets of all series: a panel per budget, a strip per series, a dot per cell.

    python -m benchmarks.quality.regret_chart RESULTS... --out build/regret.png

A bar marks the median of the dots, the large mark the worst. The least worst regret is at the top. Beside a strip is
the number of cells that its series does not reach: these have no dot.
"""

import argparse
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from navicache.cli.report.results import read_results
from navicache.evaluation.bench.equal_steps import BUDGETS
from navicache.evaluation.bench.regret import SeriesRegret
from navicache.report.palette import policy_colour, policy_marker

STYLE: dict[Any, Any] = {
    **{"font.size": 9.5, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#c8ccd2"},
    **{"axes.grid": True, "grid.color": "#e4e6ea", "grid.linewidth": 0.6, "axes.axisbelow": True},
}


def draw_regrets(regrets: Sequence[SeriesRegret], budgets: Sequence[Fraction] = BUDGETS) -> Figure:
    """The whole picture."""
    names = [regret.curve.name for regret in regrets]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(3.0 * len(budgets) + 1.6, 1.0 + 0.26 * len(names)), layout="constrained")
        panels: list[Axes] = list(figure.subplots(1, len(budgets), sharey=True, squeeze=False)[0])
        for axes, budget in zip(panels, budgets, strict=True):
            for height, regret in enumerate(regrets):
                draw_strip(axes, regret.at(budget), height)
            axes.set_title(f"{budget} of the steps", fontsize=9.5)
            axes.set_xlabel("regret (dB)")
            axes.tick_params(length=0, pad=4)
            axes.set_xlim(left=-0.03 * axes.get_xlim()[1], right=1.22 * axes.get_xlim()[1])  # room for the words
        panels[0].set_yticks(range(len(names)), names)
        panels[0].set_ylim(len(names) - 0.4, -0.6)
    return figure


def draw_strip(axes: Axes, regret: SeriesRegret, height: int) -> None:
    """One series at one budget."""
    found = [each["psnr"] for each in regret.known.values()]
    tone, mark = policy_colour(regret.curve.policy), policy_marker(regret.curve.policy)
    most = max(found, default=0.0)
    if found:
        axes.plot([min(found), most], [height] * 2, color=tone, linewidth=0.9, alpha=0.45)
        axes.plot(found, [height] * len(found), "o", color=tone, markersize=4, markeredgewidth=0, alpha=0.45)
        axes.plot([median(found)] * 2, [height - 0.32, height + 0.32], color=tone, linewidth=2.2)
        axes.plot([most], [height], mark, color=tone, markersize=6.5, markeredgewidth=0)
    if regret.missing:
        words = f"{len(regret.missing)} not reached"
        axes.annotate(words, (most, height), (7, -2), textcoords="offset points", fontsize=7, color="#5c626b")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the results and save the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+", metavar="RESULTS", help="folders that `navicache bench` wrote")
    parser.add_argument("--out", type=Path, default=Path("build/regret.png"), help="PNG or SVG (%(default)s)")
    options = parser.parse_args(arguments)
    regrets = read_results(options.results).regrets
    if not regrets:
        raise ValueError("no series reaches a budget: sweep the settings more widely")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    draw_regrets(regrets).savefig(options.out, dpi=150)
    print(f"{len(regrets)} series: {options.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
