"""VBench's own scores, brought together the official way (docs/metrics.md says where the constants are from)."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from navicache.records import open_atomic_file

QUALITY = (
    "subject_consistency",
    "background_consistency",
    "temporal_flickering",
    "motion_smoothness",
    "aesthetic_quality",
    "imaging_quality",
    "dynamic_degree",
)
SEMANTIC = (
    "object_class",
    "multiple_objects",
    "human_action",
    "color",
    "spatial_relationship",
    "scene",
    "appearance_style",
    "temporal_style",
    "overall_consistency",
)
DIMENSIONS = (*QUALITY, *SEMANTIC)
RANGES = {
    "subject_consistency": (0.1462, 1.0),
    "background_consistency": (0.2615, 1.0),
    "temporal_flickering": (0.6293, 1.0),
    "motion_smoothness": (0.706, 0.9975),
    "scene": (0.0, 0.8222),
    "appearance_style": (0.0009, 0.2855),
    "temporal_style": (0.0, 0.364),
    "overall_consistency": (0.0, 0.364),
}
WEIGHTS = {"dynamic_degree": 0.5}
QUALITY_SHARE = 0.8
ENDING = "_eval_results.json"
SCORES = "vbench.json"  # in a folder of results; the report reads it


@dataclass(frozen=True)
class VBenchScores:
    """Of one setting; a total is None while one of its dimensions is missing."""

    dimensions: Mapping[str, float]
    quality: float | None
    semantic: float | None
    total: float | None


def aggregate_scores(dimensions: Mapping[str, float]) -> VBenchScores:
    """Quality, semantic and total score: normalised, weighted, and 4 to 1.

    Example:
        >>> aggregate_scores({name: 1.0 for name in QUALITY}).quality > 1  # smoothness 1 is beyond its range
        True
        >>> aggregate_scores({"color": 0.9}).total is None
        True
    """
    if unknown := sorted(set(dimensions) - set(DIMENSIONS)):
        raise ValueError(f"VBench has no dimension {unknown[0]!r}; known: {', '.join(DIMENSIONS)}")
    quality, semantic = _weighted_mean(dimensions, QUALITY), _weighted_mean(dimensions, SEMANTIC)
    total = None
    if quality is not None and semantic is not None:
        total = QUALITY_SHARE * quality + (1 - QUALITY_SHARE) * semantic
    return VBenchScores(dict(dimensions), quality, semantic, total)


def _weighted_mean(dimensions: Mapping[str, float], names: tuple[str, ...]) -> float | None:
    if not set(names) <= set(dimensions):
        return None
    weights = {name: WEIGHTS.get(name, 1.0) for name in names}
    return sum(weights[name] * _normalise(name, dimensions[name]) for name in names) / sum(weights.values())


def _normalise(name: str, value: float) -> float:
    low, high = RANGES.get(name, (0.0, 1.0))
    return (value - low) / (high - low)


def read_results(folder: Path, places: Mapping[str, str]) -> dict[str, VBenchScores]:
    """Scores by the place of a setting, out of every `*_eval_results.json` below a folder.

    A file belongs to the setting whose place, its slashes as dots, is the name of the file or of a folder it lies in.
    """
    if not folder.is_dir():
        raise ValueError(f"no folder {folder}: --results takes the folder VBench wrote to")
    found: dict[str, dict[str, float]] = {}
    for path in sorted(folder.rglob(f"*{ENDING}")):
        owners = [place for name, place in places.items() if name in (*path.parts, path.name.removesuffix(ENDING))]
        for place in owners:
            found.setdefault(place, {}).update(read_result_file(path))
    if not found:
        names = ", ".join(list(places)[:3])
        raise ValueError(f"no *{ENDING} in {folder} is named after a setting: call them or their folder {names}, ...")
    return {place: aggregate_scores(dimensions) for place, dimensions in found.items()}


def read_result_file(path: Path) -> dict[str, float]:
    """Scores of one file as VBench writes it: {dimension: [score, [each video]]}."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found = {name: float(value[0]) for name, value in content.items()}
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"{path} is no result of VBench: {error}") from error
    for name, score in found.items():
        if not math.isfinite(score):  # the mean of no videos
            raise ValueError(f"{path} has no score of {name}: VBench could read none of its videos")
    return found


def save_scores(
    folder: Path, scores: Mapping[str, VBenchScores], about: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    """Put the scores of these places, and what else is known of them, among those that the folder has."""
    path = folder / SCORES
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    new = {place: {**asdict(found), **(about or {}).get(place, {})} for place, found in scores.items()}
    with open_atomic_file(path) as file:
        file.write(json.dumps(known | new, indent=1, allow_nan=False).encode() + b"\n")
