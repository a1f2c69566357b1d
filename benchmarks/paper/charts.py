"""The pictures of the paper's figures, each from plain numbers."""

import itertools
from collections.abc import Mapping, Sequence

from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from navicache.evaluation.intervals import MeanEstimate, estimate_mean
from navicache.report.inline_svg import FAINT, INK, new_chart, render_svg
from navicache.report.palette import policy_colour

TALLEST = 3.0  # times the largest true change: a prediction beyond it leaves the picture, not the table


def draw_latency_chart(
    seconds: Mapping[str, tuple[str, Sequence[MeanEstimate | None]]], conditions: Sequence[str], of: str, name: str
) -> str:
    """Seconds of each setting under each condition, as bars side by side, with their intervals."""
    figure, axes = new_chart(4.4, 3.3)
    width = 0.8 / len(seconds)
    policies = [policy for policy, _ in seconds.values()]
    faint = {label for at, (label, (policy, _)) in enumerate(seconds.items()) if policy in policies[:at]}
    for number, (label, (policy, values)) in enumerate(seconds.items()):
        places = [place + (number - (len(seconds) - 1) / 2) * width for place in range(len(conditions))]
        known = [(place, value) for place, value in zip(places, values, strict=True) if value is not None]
        where, heights = [place for place, _ in known], [value.mean for _, value in known]
        ends = [_interval_ends(value) for _, value in known]
        errors = [[height - low for height, (low, _) in zip(heights, ends, strict=True)]]
        errors += [[high - height for height, (_, high) in zip(heights, ends, strict=True)]]
        look = {"color": policy_colour(policy), "label": label, "alpha": 1.0 if label not in faint else 0.55}
        axes.bar(where, heights, width=0.9 * width, yerr=errors, error_kw={"elinewidth": 0.8, "ecolor": INK}, **look)
    axes.set_xticks(range(len(conditions)), list(conditions))
    axes.set_ylabel(f"seconds, {of} (lower is better)")
    axes.grid(False, axis="x")
    axes.legend(frameon=False, fontsize=8.5)
    return render_svg(figure, name)


def draw_frequency_chart(shares: Mapping[str, tuple[str, Sequence[float]]], name: str) -> str:
    """How often each step was computed: a row a setting, full colour where every run computed it."""
    steps = max(len(values) for _, values in shares.values())
    figure, axes = new_chart(9.2, 0.7 + 0.27 * len(shares))
    for row, (policy, values) in enumerate(shares.values()):
        for step, share in enumerate(values):
            box = {"left": step - 0.44, "width": 0.88, "height": 0.7, "linewidth": 0}
            axes.barh(row, color=FAINT, alpha=0.45, **box)
            if share:
                axes.barh(row, color=policy_colour(policy), alpha=0.12 + 0.88 * share, **box)
    axes.set_yticks(range(len(shares)), list(shares))
    axes.set_xlabel("step")
    axes.set_xlim(-0.8, steps - 0.2)
    axes.set_ylim(len(shares) - 0.4, -0.6)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return render_svg(figure, name)


def draw_trajectory_chart(lines: Mapping[str, Sequence[Sequence[float | None]]], name: str) -> str:
    """Ratio of output change to input change over the steps: mean, interval and each run, one colour a condition."""
    figure, axes = new_chart(4.4, 3.3)
    tones = ("#2a7fc9", "#e0622b", "#12996f", "#b0569b")
    for number, (label, runs) in enumerate(lines.items()):
        tone = tones[number % len(tones)]
        for run in runs:
            axes.plot(*_known_points(run), color=tone, linewidth=0.5, alpha=0.3)
        known = [[value for value in values if value is not None] for values in zip(*runs, strict=False)]
        means = [estimate_mean(values) if values else None for values in known]
        steps = [step for step, value in enumerate(means) if value]
        ends = [_interval_ends(value) for value in means if value]
        lows, highs = [low for low, _ in ends], [high for _, high in ends]
        axes.fill_between(steps, lows, highs, color=tone, alpha=0.25, linewidth=0)
        axes.plot(steps, [value.mean for value in means if value], color=tone, linewidth=2, label=label)
    axes.set_yscale("log")
    _set_plain_numbers(axes.yaxis)
    axes.set_xlabel("step")
    axes.set_ylabel("ratio: output change / input change")
    if len(lines) > 1:
        axes.legend(frameon=False, fontsize=8.5)
    return render_svg(figure, name)


def draw_plane_chart(policy: str, points: Sequence[tuple[float, float, float]], name: str) -> str:
    """Steps of one run in the plane of input and output change: true, predicted, and the area between them."""
    figure, axes = new_chart(3.1, 2.9)
    for (x, predicted, true), (next_x, next_predicted, next_true) in itertools.pairwise(points):
        corners = (x, next_x, next_x, x), (true, next_true, next_predicted, predicted)
        axes.fill(*corners, color=policy_colour(policy), alpha=0.25, linewidth=0)
    across, predicted, true = zip(*points, strict=True)
    for label, tone, heights in (("true", INK, true), ("predicted", policy_colour(policy), predicted)):
        axes.plot(across, heights, "o-", color=tone, markersize=2.6, linewidth=1, markeredgewidth=0, label=label)
    axes.set(xlabel="change of the input", ylabel="change of the output")
    axes.set_ylim(0, 1.12 * max(*true, min(max(predicted), TALLEST * max(true))))
    axes.legend(frameon=False, fontsize=8.5)
    return render_svg(figure, name)


def _set_plain_numbers(axis: Axis) -> None:
    """0.05 in place of powers of ten."""
    axis.set_major_locator(LogLocator(subs=(1.0, 3.0), numticks=7))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _known_points(values: Sequence[float | None]) -> tuple[list[int], list[float]]:
    known = [(step, value) for step, value in enumerate(values) if value is not None]
    return [step for step, _ in known], [value for _, value in known]


def _interval_ends(value: MeanEstimate) -> tuple[float, float]:
    """Both ends of the interval; the mean twice where there is none."""
    return (value.mean if value.low is None else value.low), (value.mean if value.high is None else value.high)
