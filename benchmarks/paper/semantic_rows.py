"""Shares of videos that show what their captions say, with intervals, as a CSV file and back."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from navicache.evaluation.bench.rows import Row
from navicache.records import open_atomic_file

READINGS = {"object": "shape", "colour": "colour", "motion": "direction", "background": "background"}
ATTRIBUTES = (*READINGS, "all", "as plain")
DEVIATIONS = 1.96  # of 95 %
TOGETHER = ("teacache", "seacache", "firstblockcache", "dbcache")  # decide once for all samples of a call
FACTS = ("machine", "model", "setting", "policy", "decides")


class RightShare(NamedTuple):
    """So many right of so many that count."""

    right: int
    asked: int

    @property
    def share(self) -> float | None:
        """The share; None if none counts."""
        return self.right / self.asked if self.asked else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval, which is right for shares near 1 too.

        Example:
            >>> [round(end, 3) for end in RightShare(32, 32).interval]
            [0.893, 1.0]
        """
        if not self.asked:
            return None
        count, share, square = self.asked, self.right / self.asked, DEVIATIONS**2
        middle = (share + square / (2 * count)) / (1 + square / count)
        half = DEVIATIONS * math.sqrt(share * (1 - share) / count + square / (4 * count**2)) / (1 + square / count)
        return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))  # rounding aside


class SemanticRow(NamedTuple):
    """One setting on one model."""

    machine: str
    model: str
    setting: str
    policy: str
    decides: str  # "prompt", or "call" if one decision was made for all prompts of a call
    videos: int
    computed: float | None  # share of the plain run's steps; None if steps were computed in part, or none was
    shares: Mapping[str, RightShare]


def summarise_readings(rows: Iterable[Row]) -> list[SemanticRow]:
    """A row for each setting of each model, plain runs first; rows that were not read are left out."""
    read = [row for row in rows if row.get("semantics")]
    plain = {row["group"]: row for row in read if row["kind"] == "baseline"}
    settings: dict[tuple[str, str], list[Row]] = {}
    for row in read:
        settings.setdefault((row["model"], row["setting"]), []).append(row)
    return [_summarise_setting(*place, own, plain) for place, own in settings.items()]


def _summarise_setting(model: str, setting: str, rows: Sequence[Row], plain: Mapping[str, Row]) -> SemanticRow:
    first = rows[0]
    together = first["batch"] > 1 and (first["policy"] in TOGETHER or first["knobs"].get("site") == "blocks")
    parts = [(row["semantics"], plain.get(row["group"], {}).get("semantics")) for row in rows]
    return SemanticRow(
        first["machine"]["name"],
        model,
        setting,
        first["policy"],
        "call" if together else "prompt",
        len(rows),
        _compute_share(rows, plain),
        count_right(parts),
    )


def _compute_share(rows: Sequence[Row], plain: Mapping[str, Row]) -> float | None:
    if any(row["steps"]["partial"] for row in rows):
        return None
    shares = [row["steps"]["computed"] / plain.get(row["group"], row)["steps"]["total"] for row in rows]
    return sum(shares) / len(shares)


def count_right(parts: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]) -> dict[str, RightShare]:
    """Of readings, each with that of the plain run of its prompt, how many are right."""
    found = {}
    for name, key in READINGS.items():
        asked = [reading[key]["right"] for reading, _ in parts if reading[key]["asked"]]
        found[name] = RightShare(sum(asked), len(asked))
    whole = [all(each["right"] for each in reading.values() if each["asked"]) for reading, _ in parts]
    same = [_words(reading) == _words(other) for reading, other in parts if other is not None]
    return {**found, "all": RightShare(sum(whole), len(whole)), "as plain": RightShare(sum(same), len(same))}


def _words(reading: Mapping[str, Any]) -> list[str]:
    return [reading[key]["read"] for key in READINGS.values()]


def name_columns() -> list[str]:
    """The columns of the file."""
    parts = ("right", "asked", "share", "low", "high")
    return [*FACTS, "videos", "computed", *(f"{name} {part}" for name in ATTRIBUTES for part in parts)]


def save_csv(path: Path, rows: Sequence[SemanticRow]) -> None:
    """A line for each row; what is not known is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(name_columns())
    for row in rows:
        cells: list[Any] = [*(getattr(row, name) for name in FACTS), row.videos, row.computed]
        for share in (row.shares[name] for name in ATTRIBUTES):
            cells += [share.right, share.asked, share.share, *(share.interval or (None, None))]
        writer.writerow("" if v is None else f"{v:.6g}" if isinstance(v, float) else v for v in cells)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic_file(path) as file:
        file.write(text.getvalue().encode())


def read_csv(path: Path) -> list[SemanticRow]:
    """What `save_csv` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != name_columns():
            raise ValueError(f"{path} is no file of `python -m benchmarks.paper.semantics --csv`: make it again")
        return [_read_row(line) for line in reader]


def _read_row(line: Mapping[str, str]) -> SemanticRow:
    shares = {name: RightShare(int(line[f"{name} right"]), int(line[f"{name} asked"])) for name in ATTRIBUTES}
    computed = float(line["computed"]) if line["computed"] else None
    return SemanticRow(*(line[name] for name in FACTS), int(line["videos"]), computed, shares)
