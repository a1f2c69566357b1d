"""The ruler of a default: regret with every PSNR cut at a ceiling, every model counted once, LPIPS beside it.

Above the ceiling nobody sees a difference, so 60 dB are worth no more than 45: in docs/results/paper/figures.csv the
mean LPIPS of settings is 0.036 from 30 to 35 dB, 0.008 from 35 on, 0.002 from 40 on and 0.001 from 45 on. A model with
many settings counts as much as one with few: the mean is over a model's settings first, then over models.
"""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from navicache.evaluation.bench.equal_steps import (
    CellAtBudget,
    CurvePoint,
    compare_at_budgets,
    read_cells,
)
from navicache.evaluation.bench.rows import Row

CEILING = 45.0  # dB
DIGITS = {"lpips": 4, "lpips_regret": 4}  # of a figure in the file; others have two


@dataclass(frozen=True)
class SeriesFigures:
    """A series in one setting at one budget; None where LPIPS was not measured."""

    model: str
    setting: str
    share: str  # of the steps
    computed: int
    series: str
    policy: str
    role: str
    prompts: int
    psnr: float  # dB, of the mean over prompts, as the next two
    median: float
    worst: float
    regret: float
    cut: float  # dB, of the mean over prompts of the PSNR that was cut at the ceiling
    cut_regret: float
    lpips: float | None
    lpips_regret: float | None

    @property
    def place(self) -> tuple[str, str, str]:
        """Model, setting and share."""
        return self.model, self.setting, self.share


def cut_psnr(rows: Iterable[Row], ceiling: float) -> list[Row]:
    """The rows with no PSNR above the ceiling."""
    return _change_psnr(rows, lambda quality: None if quality["psnr"] is None else min(quality["psnr"], ceiling))


def turn_lpips(rows: Iterable[Row]) -> list[Row]:
    """The rows with minus LPIPS in place of PSNR, so that more is better."""
    return _change_psnr(rows, lambda quality: None if quality.get("lpips") is None else -quality["lpips"])


def _change_psnr(rows: Iterable[Row], change: Callable[[Any], float | None]) -> list[Row]:
    known = ((row, row["quality"]) for row in rows)
    return [{**row, "quality": quality and {**quality, "psnr": change(quality)}} for row, quality in known]


def read_figures(rows: Sequence[Row], ours: Sequence[str], ceiling: float = CEILING) -> list[SeriesFigures]:
    """Every series in every setting at every budget that it reaches."""
    cut, seen = (_compare(changed, ours) for changed in (cut_psnr(rows, ceiling), turn_lpips(rows)))
    return [
        figures
        for place, standing in _compare(rows, ours).items()
        for curve in standing.cell.curves
        if (figures := _read_series(standing, cut[place], seen.get(place), curve.name)) is not None
    ]


def _compare(rows: Sequence[Row], ours: Sequence[str]) -> dict[Any, CellAtBudget]:
    table = compare_at_budgets(read_cells(rows, ours))
    return {(standing.cell.model, standing.cell.condition, standing.budget): standing for standing in table}


def _read_series(plain: CellAtBudget, cut: CellAtBudget, seen: CellAtBudget | None, name: str) -> SeriesFigures | None:
    point, cut_point = (standing.points_by_series.get(name) for standing in (plain, cut))
    if point is None or cut_point is None:
        return None
    cell, distance = plain.cell, None if seen is None else seen.points_by_series.get(name)
    curve = next(curve for curve in cell.curves if curve.name == name)
    return SeriesFigures(
        model=cell.model,
        setting=cell.condition,
        share=str(plain.budget),
        computed=round(point.computed),
        series=name,
        policy=curve.policy,
        role=curve.role,
        prompts=cell.prompts,
        psnr=point.psnr,
        median=point.median,
        worst=point.worst,
        regret=find_regret(plain, point),
        cut=cut_point.psnr,
        cut_regret=find_regret(cut, cut_point),
        lpips=None if distance is None else -distance.psnr,
        lpips_regret=None if seen is None or distance is None else find_regret(seen, distance),
    )


def find_regret(standing: CellAtBudget, point: CurvePoint) -> float:
    """How far a point is below the best of its place."""
    return max(other.psnr for other in standing.points_by_series.values()) - point.psnr


class Verdict(NamedTuple):
    """A figure over many settings."""

    worst: float
    mean: float  # every model counts once
    settings: int


def judge(figures: Iterable[SeriesFigures], name: str) -> Verdict | None:
    """The largest value of a figure, and its mean with every model counted once; None if nobody measured it.

    Example:
        >>> judge([], "cut_regret") is None
        True
    """
    by_model: dict[str, list[float]] = defaultdict(list)
    for each in figures:
        value = getattr(each, name)
        if value is not None:
            by_model[each.model].append(value)
    if not by_model:
        return None
    values = list(by_model.values())
    return Verdict(max(map(max, values)), fmean(map(fmean, values)), sum(map(len, values)))


def write_figures(path: Path, figures: Sequence[SeriesFigures]) -> None:
    """Write them as CSV, of each setting the best first."""
    by_place: dict[Any, list[SeriesFigures]] = defaultdict(list)
    for each in figures:
        by_place[each.place].append(each)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(SeriesFigures))
        for own in by_place.values():
            for each in sorted(own, key=lambda each: (each.cut_regret, each.regret)):
                writer.writerow(_format_value(*entry) for entry in asdict(each).items())


def _format_value(name: str, value: Any) -> str:
    if value is None:
        return ""
    return f"{round(value, DIGITS.get(name, 2)) + 0.0:g}" if isinstance(value, float) else str(value)


def load_figures(path: Path) -> list[SeriesFigures]:
    """Read what `write_figures` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_read_line(line) for line in csv.DictReader(file)]


def _read_line(line: dict[str, str]) -> SeriesFigures:
    texts, counts = ("model", "setting", "share", "series", "policy", "role"), ("computed", "prompts")
    numbers: dict[str, Any] = {
        name: float(value) if value else None for name, value in line.items() if name not in (*texts, *counts)
    }
    named: dict[str, Any] = {**{name: line[name] for name in texts}, **{name: int(line[name]) for name in counts}}
    return SeriesFigures(**named, **numbers)
