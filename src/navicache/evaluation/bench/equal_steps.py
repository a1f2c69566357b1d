"""Quality at equal computed steps: every series of settings is a curve, read at fixed budgets."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from statistics import median
from typing import Literal

from navicache.evaluation.bench.plan import DEFAULT_OURS
from navicache.evaluation.bench.rows import Row

Role = Literal["ours", "ours by threshold", "our other policy", "rival"]
BUDGETS = tuple(Fraction(computed, 50) for computed in (25, 21, 17, 13, 9))
LONG_RUN = 25  # a run with fewer steps has no budgets of 21/50 and 9/50: the others lie too close
OF_LONG_RUNS = (Fraction(21, 50), Fraction(9, 50))
FEWEST_COMPUTED = 4  # with fewer there is nothing to choose
WIDE_GAP = Fraction(1, 6)  # of the steps: neighbours farther apart are too far to trust the line between them
SAME_STEPS = 1e-9  # computed steps: means of whole numbers that are meant to be the same


def count_computed(budget: Fraction, steps: int) -> int | None:
    """The computed steps of a budget, the nearest whole number; None if runs of this length do not have it.

    Example:
        >>> [count_computed(budget, 50) for budget in BUDGETS]
        [25, 21, 17, 13, 9]
        >>> [count_computed(budget, 20) for budget in BUDGETS]
        [10, None, 7, 5, None]
    """
    if steps < LONG_RUN and budget in OF_LONG_RUNS:
        return None
    nearest = math.floor(budget * steps + Fraction(1, 2))
    return nearest if nearest >= FEWEST_COMPUTED else None


@dataclass(frozen=True)
class CurvePoint:
    """A setting averaged over its prompts, or an interpolation between two settings."""

    computed: float  # steps, on average; steps of which a part was reused do not count
    psnr: float  # dB, on average
    median: float  # dB of the median prompt
    worst: float  # dB of the worst prompt
    spread: float  # computed steps of the prompt with most, less those of the one with fewest
    gap: float = 0.0  # computed steps between the two settings that it interpolates; 0 if it was measured


@dataclass(frozen=True)
class QualityCurve:
    """The settings of one series, by computed steps."""

    name: str
    policy: str
    role: Role
    points: tuple[CurvePoint, ...]

    def point_at(self, computed: float) -> CurvePoint | None:
        """Interpolate between the two nearest settings; None outside the series.

        Of settings with the same computed steps the best counts.

        Example:
            >>> points = (CurvePoint(10, 30.0, 31.0, 25.0, 0), CurvePoint(20, 40.0, 41.0, 37.0, 4))
            >>> curve = QualityCurve("N", "navicache", "rival", points)
            >>> curve.point_at(15)
            CurvePoint(computed=15.0, psnr=35.0, median=36.0, worst=31.0, spread=2.0, gap=10)
            >>> curve.point_at(9) is None
            True
        """
        best: dict[float, CurvePoint] = {}
        for point in sorted(self.points, key=lambda point: point.psnr):
            best[round(point.computed / SAME_STEPS) * SAME_STEPS] = point
        below = [place for place in best if place <= computed + SAME_STEPS]
        above = [place for place in best if place >= computed - SAME_STEPS]
        if not below or not above:
            return None
        few, many = best[max(below)], best[min(above)]
        return few if few is many else _interpolate(few, many, computed)


def _interpolate(few: CurvePoint, many: CurvePoint, computed: float) -> CurvePoint:
    gap = many.computed - few.computed
    share = (computed - few.computed) / gap
    names = (field.name for field in fields(CurvePoint) if field.name != "gap")
    figures = {name: (1 - share) * getattr(few, name) + share * getattr(many, name) for name in names}
    return CurvePoint(**figures, gap=gap)


@dataclass(frozen=True)
class MeasuredCell:
    """A model under a condition, with the curves of all series."""

    model: str
    condition: str
    steps: int
    prompts: int
    ours: str  # the policy whose lead is asked for
    curves: tuple[QualityCurve, ...]
    unfinished: tuple[str, ...] = ()  # settings that lack prompts the baseline has: they do not count


@dataclass(frozen=True)
class CellAtBudget:
    """All series of a cell at one budget; those that do not reach it are missing."""

    cell: MeasuredCell
    budget: Fraction
    points_by_series: Mapping[str, CurvePoint]

    @property
    def our_point(self) -> CurvePoint | None:
        """The point of our policy, by speed-up."""
        return next((point for name, point in self.in_roles("ours").items()), None)

    def in_roles(self, *roles: Role) -> dict[str, CurvePoint]:
        """The points of the series in these roles, by series."""
        names = [curve.name for curve in self.cell.curves if curve.role in roles]
        return {name: self.points_by_series[name] for name in names if name in self.points_by_series}

    def best(self, *roles: Role) -> tuple[str, CurvePoint] | None:
        """The best series in these roles."""
        return max(self.in_roles(*roles).items(), key=lambda entry: entry[1].psnr, default=None)

    def lead(self, *roles: Role) -> float | None:
        """How many decibels our policy is ahead of the best series in these roles."""
        best, ours = self.best(*roles), self.our_point
        return None if best is None or ours is None else ours.psnr - best[1].psnr

    def is_wide(self, point: CurvePoint) -> bool:
        """Whether a point is interpolated between settings that are far apart."""
        return point.gap > WIDE_GAP * self.cell.steps


def read_cells(rows: Iterable[Row], ours: Sequence[str] = DEFAULT_OURS) -> list[MeasuredCell]:
    """The cells of a benchmark, in the order they were measured; `ours` as in the plan."""
    places: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["kind"] in ("baseline", "cached"):
            places.setdefault((row["model"], row["condition"]), []).append(row)
    cells = (_read_cell(*place, _drop_duplicates(own), ours) for place, own in places.items())
    return [cell for cell in cells if cell is not None]


def compare_at_budgets(cells: Iterable[MeasuredCell], budgets: Sequence[Fraction] = BUDGETS) -> list[CellAtBudget]:
    """Every cell at every budget that its run has."""
    places = ((cell, budget, count_computed(budget, cell.steps)) for cell in cells for budget in budgets)
    return [_compare_at_budget(cell, budget, computed) for cell, budget, computed in places if computed is not None]


def _compare_at_budget(cell: MeasuredCell, budget: Fraction, computed: int) -> CellAtBudget:
    found = ((curve.name, curve.point_at(computed)) for curve in cell.curves)
    return CellAtBudget(cell, budget, {name: point for name, point in found if point is not None})


def _drop_duplicates(rows: Iterable[Row]) -> list[Row]:
    """One row for each video: several folders may hold the same baselines."""
    return list({(row["kind"], row["setting"], row["prompt"], row["seed"]): row for row in rows}.values())


def _read_cell(model: str, condition: str, rows: Sequence[Row], ours: Sequence[str]) -> MeasuredCell | None:
    plain = [row for row in rows if row["kind"] == "baseline"]
    if not plain or plain[0]["steps"]["total"] is None:
        return None
    settings: dict[str, list[Row]] = {}
    for row in rows:
        if row["kind"] == "cached" and (row["quality"] or {}).get("psnr") is not None:  # a plan may leave PSNR out
            settings.setdefault(row["setting"], []).append(row)
    whole = {name: own for name, own in settings.items() if len(own) >= len(plain)}
    series: dict[str, list[list[Row]]] = {}
    for name, own in whole.items():
        series.setdefault(own[0]["series"] or name, []).append(own)
    curves = tuple(_build_curve(name, own, ours) for name, own in series.items())
    unfinished = tuple(name for name in settings if name not in whole)
    return MeasuredCell(model, condition, plain[0]["steps"]["total"], len(plain), ours[0], curves, unfinished)


def _build_curve(name: str, settings: Sequence[Sequence[Row]], ours: Sequence[str]) -> QualityCurve:
    first = settings[0][0]
    points = sorted((_average_rows(rows) for rows in settings), key=lambda point: point.computed)
    return QualityCurve(name, first["policy"], choose_role(first, ours), tuple(points))


def _average_rows(rows: Sequence[Row]) -> CurvePoint:
    computed = [row["steps"]["computed"] - row["steps"]["partial"] for row in rows]
    quality = [row["quality"]["psnr"] for row in rows]
    mean, decibels = sum(computed) / len(rows), sum(quality) / len(rows)
    return CurvePoint(mean, decibels, median(quality), min(quality), max(computed) - min(computed))


def choose_role(row: Row, ours: Sequence[str]) -> Role:
    """The role of a setting in the comparison, by its policy and the knobs it had."""
    if row["policy"] not in ours:
        return "rival"
    if row["policy"] != ours[0]:
        return "our other policy"
    return "ours" if row["knobs"].get("threshold") is None else "ours by threshold"
