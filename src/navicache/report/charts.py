"""Charts of a report, drawn from plain numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from navicache.report.inline_svg import INK, new_chart, render_svg
from navicache.report.palette import policy_colour, policy_marker

EstimateBounds = tuple[float, float, float]  # mean, low, high


@dataclass(frozen=True)
class QualityPoint:
    """The speed and quality of a setting."""

    policy: str
    series: str  # spots of one series are joined
    speed: EstimateBounds
    quality: EstimateBounds


def draw_quality_chart(spots: Sequence[QualityPoint], speed: str, quality: tuple[str, str], name: str) -> str:
    """Quality over speed, with the intervals of both."""
    figure, axes = new_chart(4.4, 3.3)
    for series in dict.fromkeys(spot.series for spot in spots):
        own = sorted((spot for spot in spots if spot.series == series), key=lambda spot: spot.speed[0])
        x, y = [spot.speed[0] for spot in own], [spot.quality[0] for spot in own]
        tone = policy_colour(own[0].policy)
        axes.plot(x, y, color=tone, linewidth=1.6, alpha=0.7)
        for spot in own:
            axes.plot(spot.speed[1:], [spot.quality[0]] * 2, color=tone, linewidth=1.1, alpha=0.45)
            axes.plot([spot.speed[0]] * 2, spot.quality[1:], color=tone, linewidth=1.1, alpha=0.45)
        axes.plot(x, y, policy_marker(own[0].policy), color=tone, markersize=6, markeredgewidth=0)
    axes.set_xlabel(speed)
    axes.set_ylabel(f"{quality[0]} ({quality[1]})")
    axes.margins(0.08)
    return render_svg(figure, name)


@dataclass(frozen=True)
class SeriesLine:
    """The points of one series; a second series of the same policy is dashed."""

    policy: str
    points: Sequence[tuple[float, float]]  # computed steps and dB, in order
    dashed: bool = False


def draw_equal_chart(trails: Sequence[SeriesLine], budgets: Sequence[float], name: str) -> str:
    """PSNR over computed steps, from a little below the smallest to a little above the largest budget."""
    figure, axes = new_chart(3.1, 2.6)
    low, high = 0.8 * min(budgets), 1.2 * max(budgets)
    for budget in budgets:
        axes.axvline(budget, color=INK, linewidth=0.9, alpha=0.6, linestyle=":")
    for trail in trails:
        x, y = zip(*trail.points, strict=True)
        look: dict[str, Any] = {"color": policy_colour(trail.policy), "marker": policy_marker(trail.policy)}
        axes.plot(x, y, "--" if trail.dashed else "-", **look, markersize=3.5, markeredgewidth=0, linewidth=1.4)
    inside = [y for trail in trails for x, y in trail.points if low <= x <= high]
    axes.set_xlim(low, high)
    if inside:
        room = 0.06 * (max(inside) - min(inside)) + 0.2
        axes.set_ylim(min(inside) - room, max(inside) + room)
    axes.grid(False, axis="x")
    axes.set_xlabel("computed steps")
    axes.set_ylabel("PSNR (dB)")
    return render_svg(figure, name)
