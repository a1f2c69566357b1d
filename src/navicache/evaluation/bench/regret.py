"""Regret: how far a series is below the best of everything that was measured in a cell, at equal computed steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean
from typing import Literal

from navicache.evaluation.bench.equal_steps import CellAtBudget, QualityCurve

RegretFigure = Literal["psnr", "median", "worst"]  # of the mean over prompts, of the median and of the worst prompt
Regrets = Mapping[RegretFigure, float]  # dB


@dataclass(frozen=True)
class SeriesRegret:
    """The regrets of a series, by cell and budget; what it does not reach, though another series does, is missing."""

    curve: QualityCurve  # of one of the cells, for its name, policy and role
    known: Mapping[tuple[str, Fraction], Regrets]
    missing: tuple[tuple[str, Fraction], ...]

    def at(self, budget: Fraction) -> "SeriesRegret":
        """The regrets at one budget."""
        known = {place: regrets for place, regrets in self.known.items() if place[1] == budget}
        return SeriesRegret(self.curve, known, tuple(place for place in self.missing if place[1] == budget))

    def mean(self, figure: RegretFigure = "psnr") -> float:
        """The average over cells and budgets."""
        return mean(regrets[figure] for regrets in self.known.values())

    @property
    def worst(self) -> tuple[float, str]:
        """The largest regret of the mean over prompts, and where it is."""
        return max((regrets["psnr"], f"{cell}, {budget}") for (cell, budget), regrets in self.known.items())


def find_regrets(standing: CellAtBudget, name: str) -> Regrets | None:
    """The regrets of a series in one cell; None if it does not reach the budget."""
    points = standing.points_by_series
    if name not in points:
        return None
    figures: tuple[RegretFigure, ...] = ("psnr", "median", "worst")
    best = {figure: max(getattr(point, figure) for point in points.values()) for figure in figures}
    return {figure: best[figure] - getattr(points[name], figure) for figure in figures}


def summarise_regrets(table: Sequence[CellAtBudget]) -> list[SeriesRegret]:
    """The regrets of every series that reaches any budget; the least worst regret is first."""
    curves = {curve.name: curve for standing in table for curve in standing.cell.curves}
    found = [_series_regret(table, curve) for curve in curves.values()]
    return sorted((regret for regret in found if regret.known), key=lambda regret: regret.worst)


def _series_regret(table: Sequence[CellAtBudget], curve: QualityCurve) -> SeriesRegret:
    reached = (standing for standing in table if standing.points_by_series)
    named = ((f"{s.cell.model}, {s.cell.condition}", s.budget, s) for s in reached)
    places = {(cell, budget): find_regrets(standing, curve.name) for cell, budget, standing in named}
    known = {place: regrets for place, regrets in places.items() if regrets}
    return SeriesRegret(curve, known, tuple(place for place in places if place not in known))
