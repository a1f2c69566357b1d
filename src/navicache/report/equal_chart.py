"""The small picture of one cell: quality of every series over computed steps, with the budgets it is read off at."""

from collections.abc import Sequence
from dataclasses import dataclass

from navicache.report.inline_svg import INK, as_svg, new_chart
from navicache.report.palette import colour, mark


@dataclass(frozen=True)
class Trail:
    """One series: its policy gives the colour; another form of the same policy is dashed."""

    policy: str
    points: Sequence[tuple[float, float]]  # computed steps and dB, in order
    dashed: bool = False


def equal_chart(trails: Sequence[Trail], budgets: Sequence[float], name: str) -> str:
    """Between the smallest and the largest budget, and a little beyond; what lies outside is cut off."""
    figure, axes = new_chart(3.1, 2.6)
    low, high = 0.8 * min(budgets), 1.2 * max(budgets)
    for budget in budgets:
        axes.axvline(budget, color=INK, linewidth=0.9, alpha=0.6, linestyle=":")
    for trail in trails:
        x, y = zip(*trail.points, strict=True)
        tone, style = colour(trail.policy), "--" if trail.dashed else "-"
        axes.plot(x, y, style, color=tone, marker=mark(trail.policy), markersize=3.5, markeredgewidth=0, linewidth=1.4)
    inside = [y for trail in trails for x, y in trail.points if low <= x <= high]
    axes.set_xlim(low, high)
    if inside:
        room = 0.06 * (max(inside) - min(inside)) + 0.2
        axes.set_ylim(min(inside) - room, max(inside) + room)
    axes.grid(False, axis="x")
    axes.set_xlabel("computed steps")
    axes.set_ylabel("PSNR (dB)")
    return as_svg(figure, name)
