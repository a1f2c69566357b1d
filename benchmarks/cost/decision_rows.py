"""The figures of timed decisions: medians with intervals, as a CSV file and back."""

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.cost.decision_timer import StepLaps
from navicache.records import open_atomic_file
from navicache.records.text_table import UNKNOWN_CELL

FIGURES = ("decision", "device", "after")
DEVIATIONS = 1.96  # of 95 %


class Median(NamedTuple):
    """A median with its 95 % interval; both ends are None for fewer than six values."""

    middle: float
    low: float | None
    high: float | None


class DecisionRow(NamedTuple):
    """One method on one model; milliseconds of a step."""

    machine: str
    torch: str
    model: str
    size: str
    dtype: str
    method: str
    policy: str
    steps: int  # that were timed
    decision: Median
    device: Median | None  # between two events of the device; None on a CPU
    after: Median | None  # None where nothing was computed
    calibration_seconds: float | None  # None where it was not measured

    def show(self, figure: str) -> str:
        """A figure with its interval."""
        found = getattr(self, figure)
        if found is None:
            return UNKNOWN_CELL
        return (
            f"{found.middle:.4f}" if found.low is None else f"{found.middle:.4f} ({found.low:.4f} to {found.high:.4f})"
        )

    def show_calibration(self) -> str:
        """Seconds of the calibration."""
        return UNKNOWN_CELL if self.calibration_seconds is None else f"{self.calibration_seconds:.1f}"


def estimate_median(values: Sequence[float]) -> Median:
    """The median, and the order statistics between which it lies in 95 of 100 samples.

    Example:
        >>> estimate_median([5.0, 1.0, 2.0, 4.0, 3.0, 6.0, 7.0])
        Median(middle=4.0, low=1.0, high=7.0)
    """
    ordered, count = sorted(values), len(values)
    middle = (ordered[(count - 1) // 2] + ordered[count // 2]) / 2
    rank = math.floor((count - DEVIATIONS * math.sqrt(count)) / 2)
    if rank < 0 or count < 6:
        return Median(middle, None, None)
    return Median(middle, ordered[rank], ordered[count - 1 - rank])


def summarise_laps(laps: Sequence[StepLaps]) -> dict[str, Any]:
    """The columns of these steps, in milliseconds."""
    device = [1e3 * lap.device for lap in laps if lap.device is not None]
    after = [1e3 * lap.after for lap in laps if lap.after]
    return {
        "steps": len(laps),
        "decision": estimate_median([1e3 * lap.decision for lap in laps]),
        "device": estimate_median(device) if device else None,
        "after": estimate_median(after) if after else None,
    }


def name_columns() -> list[str]:
    """The columns of the file."""
    names: list[str] = []
    for name in DecisionRow._fields:
        names += [f"{name}_ms", f"{name}_low", f"{name}_high"] if name in FIGURES else [name]
    return names


def save_csv(path: Path, rows: Sequence[DecisionRow]) -> None:
    """A line for each row; what is not known is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(name_columns())
    for row in rows:
        cells: list[Any] = []
        for name, value in row._asdict().items():
            cells += (value or Median(*[None] * 3)) if name in FIGURES else [value]  # pyright: ignore[reportArgumentType]
        writer.writerow("" if v is None else f"{v:.6g}" if isinstance(v, float) else v for v in cells)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic_file(path) as file:
        file.write(text.getvalue().encode())


def read_csv(path: Path) -> list[DecisionRow]:
    """What `save_csv` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != name_columns():
            raise ValueError(f"{path} is no file of `python -m benchmarks.cost.decisions --csv`: make it again")
        return [_read_row(line) for line in reader]


def _read_row(line: dict[str, str]) -> DecisionRow:
    values: dict[str, Any] = {name: line[name] for name in DecisionRow._fields if name in line}
    numbers = {key: float(value) for key, value in line.items() if value and key not in values}
    for name in FIGURES:
        middle = numbers.get(f"{name}_ms")
        values[name] = (
            None if middle is None else Median(middle, numbers.get(f"{name}_low"), numbers.get(f"{name}_high"))
        )
    seconds = line["calibration_seconds"]
    return DecisionRow(
        **{**values, "steps": int(line["steps"]), "calibration_seconds": float(seconds) if seconds else None}
    )
