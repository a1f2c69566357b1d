"""Summarise rows: one summary per setting, with intervals over prompts and seeds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from navicache.evaluation.bench.rows import REFUSED, Row
from navicache.evaluation.file_comparison import SCORE_NAMES
from navicache.evaluation.intervals import MeanEstimate, estimate_mean

SettingPlace = tuple[str, str, str]  # model, condition, setting


@dataclass(frozen=True)
class SettingSummary:
    """The figures of a setting over all its prompts and seeds."""

    place: SettingPlace
    first: Row  # any of its rows, for what they share
    rows: tuple[Row, ...]
    figures: Mapping[str, MeanEstimate]  # by name; a figure that a row lacks is left out

    def mean(self, name: str) -> float | None:
        """The mean of a figure; None if it is unknown."""
        return self.figures[name].mean if name in self.figures else None


def summarise_rows(rows: Sequence[Row]) -> list[SettingSummary]:
    """One summary per setting, in the order they were measured; shadow runs are left out."""
    baselines = {row["group"]: row for row in rows if row["kind"] == "baseline"}
    places: dict[SettingPlace, list[Row]] = {}
    for row in rows:
        if row["kind"] in ("baseline", "cached"):
            places.setdefault((row["model"], row["condition"], row["setting"]), []).append(row)
    return [_summarise_setting(place, own, baselines) for place, own in places.items()]


def _summarise_setting(place: SettingPlace, rows: Sequence[Row], baselines: Mapping[str, Row]) -> SettingSummary:
    columns = _figure_columns([(row, baselines.get(row["group"])) for row in rows])
    known = {name: [value for value in values if value is not None] for name, values in columns.items()}
    whole = {name: estimate_mean(values) for name, values in known.items() if len(values) == len(rows)}
    return SettingSummary(place, rows[0], tuple(rows), whole)


def _figure_columns(pairs: Sequence[tuple[Row, Row | None]]) -> dict[str, list[float | None]]:
    return {
        "seconds": [None if is_batched(row) else row["seconds"]["call"] for row, _ in pairs],
        "loop_seconds": [None if is_batched(row) else row["seconds"]["loop"] for row, _ in pairs],
        "speedup": [measure_speedup(row, plain, "call") for row, plain in pairs],
        "loop_speedup": [measure_speedup(row, plain, "loop") for row, plain in pairs],
        "cpu_speedup": [measure_speedup(row, plain, "cpu") for row, plain in pairs],
        "computed": [row["steps"]["computed"] for row, _ in pairs],
        "allowed": [compute_ideal_speedup(row, plain) for row, plain in pairs],
        "peak_memory": [row["peak_memory"] for row, _ in pairs],
        "overhead": [measure_overhead(row, plain) for row, plain in pairs],
        "harness": [row["seconds"] and row["harness_seconds"] / row["seconds"]["call"] for row, _ in pairs],
        **{name: [(row["quality"] or {}).get(name) for row, _ in pairs] for name in SCORE_NAMES},
    }


def is_batched(row: Row) -> bool:
    """Whether the video was made in one call with others, so that it has no time to compare."""
    return row.get("batch", 1) > 1


def measure_speedup(row: Row, plain: Row | None, which: str) -> float | None:
    """Seconds without the cache over seconds with it, of "call", "loop" or "cpu"; None for batches."""
    if plain is None or is_batched(row) or is_batched(plain):
        return None
    times = baseline_seconds(row, plain).get(which), row["seconds"].get(which)
    return times[0] / times[1] if all(times) else None


def baseline_seconds(row: Row, plain: Row) -> Mapping[str, float | None]:
    """Seconds without the cache: of the run right before this one, or of the group's baseline."""
    return row.get("plain_seconds") or plain["seconds"]


def compute_ideal_speedup(row: Row, plain: Row | None) -> float | None:
    """The speed-up if reused steps were free; None if steps are computed in part."""
    if plain is None or row["kind"] == "baseline" or row["steps"]["partial"] or not plain["steps"]["computed"]:
        return None
    return plain["steps"]["computed"] / row["steps"]["computed"]


def measure_overhead(row: Row, plain: Row | None) -> float | None:
    """Seconds a step costs beyond its share of computed steps: loop - computed * (baseline's loop / its steps).

    What the cache itself costs: measuring, deciding and predicting. It is a small difference of large times, so it
    means something only as a mean over many runs on a machine that does nothing else.
    """
    if plain is None or is_batched(row) or row["steps"]["partial"]:
        return None  # a step that is computed in part has no fixed price
    whole, own = baseline_seconds(row, plain)["loop"], row["seconds"]["loop"]
    all_steps, steps = plain["steps"]["total"], row["steps"]["total"]
    if None in (whole, own, all_steps, steps):
        return None
    return (own - row["steps"]["computed"] * whole / all_steps) / steps


def list_refusals(rows: Sequence[Row]) -> list[str]:
    """What could not be measured and why, each once."""
    found = (f"{row['setting']} on {row['model']}: {row['reason']}" for row in rows if row["kind"] == REFUSED)
    return list(dict.fromkeys(found))


def format_knobs(values: Mapping[str, Any]) -> str:
    """Swept knobs as text.

    Example:
        >>> format_knobs({"threshold": 0.05, "align_steps": 10})
        'threshold=0.05, align_steps=10'
    """
    return ", ".join(f"{name}={value}" for name, value in values.items())
