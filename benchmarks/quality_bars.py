"""The bars of the quality benchmark: gains at equal computed steps, and at equal measured speed-up."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from quality_rows import Results, Row

FALLEN = 33.0  # decibels: where the paper's rule is no longer good
OURS, PAPER = "inertial", "navicache"
METRICS = ("psnr", "ssim", "lpips")


@dataclass(frozen=True)
class Bar:
    """At `at`, ours must lead each rival by at least `least` decibels."""

    at: float | None  # computed steps, or times as fast; None: where the paper's rule falls to 33 dB
    least: float
    rivals: tuple[str, ...]
    steps: int | None = None  # of the whole run; None: any
    dtype: str | None = None
    strict: bool = False  # a lead of nothing is not enough


RULES = (PAPER, "easycache")
STEP_BARS = (
    Bar(30, 0, RULES, 50),
    Bar(25, 5, RULES, 50),
    Bar(20, 5, RULES, 50),
    Bar(16, 3, RULES, 50),
    Bar(14, 0, RULES, 50),
    Bar(None, 3, RULES, 50),
    Bar(15, 3, RULES, 30),
)
SPEEDS = (1.5, 2.0, 2.5, 3.0)
SPEED_BARS = (
    *(Bar(speed, 0, ("seacache", "taylorseer"), strict=True) for speed in SPEEDS),
    *(Bar(speed, 3, ("seacache",), dtype="float32") for speed in SPEEDS),
)


def at(points: Iterable[tuple[float, float]], x: float, gap: float) -> float | None:
    """The curve's value at x, on the line between neighbours at most `gap` apart; None where it is not known.

    Of two points at the same x the better one counts.

    Example:
        >>> at([(10, 30.0), (12, 40.0), (20, 50.0)], 11, 2), at([(10, 30.0), (12, 40.0), (20, 50.0)], 16, 2)
        (35.0, None)
    """
    best: dict[float, float] = {}
    for place, value in points:
        best[place] = max(value, best.get(place, value))
    if x in best:
        return best[x]
    below, above = [p for p in best if p < x], [p for p in best if p > x]
    if not below or not above or (right := min(above)) - (left := max(below)) > gap:
        return None
    share = (x - left) / (right - left)
    return (1 - share) * best[left] + share * best[right]


@dataclass(frozen=True)
class Chart:
    """All curves of one condition over one axis."""

    rows: Sequence[Row]
    axis: str  # "computed" or "speedup"
    gap: float

    def curves(self, group: str) -> list[str]:
        """The measured curves of a policy."""
        return list(dict.fromkeys(row["curve"] for row in self.rows if row["group"] == group))

    def value(self, curve: str, x: float, metric: str = "psnr") -> float | None:
        """A curve's figure at x, the larger the better (LPIPS with its sign turned)."""
        sign = -1 if metric == "lpips" else 1
        own = [row for row in self.rows if row["curve"] == curve and row[metric] is not None]
        return at(((row[self.axis], sign * row[metric]) for row in own), x, self.gap)

    def best(self, group: str, x: float, metric: str = "psnr") -> float | None:
        """The best of a policy's curves at x."""
        values = [self.value(curve, x, metric) for curve in self.curves(group)]
        return max((value for value in values if value is not None), default=None)

    def falls(self, group: str, level: float, step: float = 0.02) -> float | None:
        """The largest x at which the best of a policy's curves is at most `level`; None if it never is."""
        places = [row[self.axis] for row in self.rows if row["group"] == group]
        x = max(places, default=0.0)
        while places and x >= min(places):
            values = [self.value(curve, x) for curve in self.curves(group) if self.spans(curve, x)]
            if values and None not in values and max(values) <= level:  # an unknown one might be above
                return x
            x -= step
        return None

    def spans(self, curve: str, x: float) -> bool:
        """Whether the curve was measured on both sides of x."""
        places = [row[self.axis] for row in self.rows if row["curve"] == curve]
        return min(places) <= x <= max(places)


def judge(bars: Iterable[Bar], chart: Chart, condition: Row, ours: str) -> list[Row]:
    """Each bar that this condition is about, against each of its rivals."""
    verdicts: list[Row] = []
    for bar in bars:
        if bar.steps not in (None, condition["steps"]) or bar.dtype not in (None, condition["dtype"]):
            continue
        x = chart.falls(PAPER, FALLEN) if bar.at is None else bar.at
        about = {"bar": bar, "at": x, "ours": ours}
        verdicts.extend({**about, "rival": rival, **_gains(bar, chart, x, ours, rival)} for rival in bar.rivals)
    return verdicts


def _gains(bar: Bar, chart: Chart, x: float | None, ours: str, rival: str) -> Row:
    """PSNR of both, the gain in all metrics, and whether that is enough."""
    figures: dict[str, Any] = {"psnr": None, "their_psnr": None, "gain": None, "verdict": "not measured"}
    if x is None:
        return {**figures, "ssim_gain": None, "lpips_gain": None}
    figures |= {"psnr": chart.value(ours, x), "their_psnr": chart.best(rival, x)}
    pairs = {metric: (chart.value(ours, x, metric), chart.best(rival, x, metric)) for metric in METRICS}
    gains = {metric: None if None in pair else pair[0] - pair[1] for metric, pair in pairs.items()}
    figures |= {"gain": gains["psnr"], "ssim_gain": gains["ssim"], "lpips_gain": gains["lpips"]}
    if gains["psnr"] is not None:
        enough = gains["psnr"] > bar.least if bar.strict else gains["psnr"] >= bar.least
        agree = all(gain is None or gain >= 0 for gain in gains.values())
        figures["verdict"] = "PASS" if enough and agree else "MISS" if not enough else "MISS (disagree)"
    return figures


def report(results: Results, gap: float) -> str:
    """All conditions measured so far, as tables."""
    parts = [_table(results, c, STEP_BARS, "computed", gap, "computed steps") for c in results.conditions("steps")]
    for kind in ("one by one", "timed"):
        parts += [_table(results, c, SPEED_BARS, "speedup", 1.0, "times as fast") for c in results.conditions(kind)]
    return "\n\n".join(part for part in parts if part) or "nothing measured yet"


def _table(results: Results, condition: Row, bars: Sequence[Bar], axis: str, gap: float, unit: str) -> str:
    chart = Chart(results.of(condition) if axis == "computed" else results.with_speed(condition), axis, gap)
    if not chart.rows:
        return ""  # nothing that was timed
    verdicts = [v for ours in chart.curves(OURS) for v in judge(bars, chart, condition, ours)]
    if not verdicts:
        return ""
    title = "{scheduler}, {steps} steps, {dtype} on {device}, {prompts} {set} prompts".format(**condition)
    title += "" if axis == "computed" else ", one at a time, " + _clock(condition, chart)
    head = f"| ours | {unit} | rival | ours dB | theirs dB | gain | asked | SSIM gain | LPIPS gain | verdict |"
    lines = [f"**{title}**", "", head, "|" + " --- |" * 10, *map(_line, verdicts)]
    for ours in chart.curves(OURS):
        own = [verdict["verdict"] for verdict in verdicts if verdict["ours"] == ours]
        lines += ["", f"{ours}: {own.count('PASS')} of {len(own)} passed, {own.count('not measured')} not measured"]
    return "\n".join(lines)


def _clock(condition: Row, chart: Chart) -> str:
    """On how many prompts the speed was measured, and where."""
    if condition["kind"] == "timed":
        return "by the clock"
    prompts, device = chart.rows[0]["timed"]
    return f"by the clock on {prompts} of them, on {device}"


def _line(verdict: Row) -> str:
    show: Callable[[float | None, str], str] = lambda value, form: "-" if value is None else format(value, form)  # noqa: E731
    bar = verdict["bar"]
    place = show(verdict["at"], ".4g") + (f" ({PAPER} at {FALLEN:g} dB)" if bar.at is None else "")
    figures = (show(verdict["psnr"], ".2f"), show(verdict["their_psnr"], ".2f"), show(verdict["gain"], "+.2f"))
    asked = f"{'>' if bar.strict else '>='} {bar.least:+g}"
    others = (show(verdict["ssim_gain"], "+.5f"), show(verdict["lpips_gain"], "+.5f"))
    cells = (verdict["ours"], place, verdict["rival"], *figures, asked, *others, verdict["verdict"])
    return "| " + " | ".join(cells) + " |"
