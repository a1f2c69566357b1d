"""What the reader found in the videos of held-out captions, counted."""

from collections.abc import Mapping
from typing import Any

import torch

from navicache_pocket.reader import ReadingVerdict, VideoReading
from navicache_pocket.world import words
from navicache_pocket.world.scenes import SceneSplit

RAGGED = 90  # percent of the rendered outline's fit below which an object is called ragged
WORDS = {
    "background": words.BACKGROUNDS,
    "colour": tuple(words.COLOURS),
    "direction": tuple(words.DIRECTIONS),
    "shape": words.SHAPES,
}
Table = dict[str, dict[str, dict[str, Any]]]


def tabulate(verdicts: Mapping[SceneSplit, dict[str, ReadingVerdict]]) -> Table:
    """Per reading and split: how many were asked for, how many are right, and the percentage."""
    table: Table = {}
    for reading in next(iter(verdicts.values())):
        splits: dict[str, ReadingVerdict] = {split: found[reading] for split, found in verdicts.items()}
        asked = {split: int(verdict.is_asked.sum()) for split, verdict in splits.items()}
        right = {split: int((verdict.is_asked & verdict.is_right).sum()) for split, verdict in splits.items()}
        asked["all"], right["all"] = sum(asked.values()), sum(right.values())
        table[reading] = {
            split: {"asked": asked[split], "right": right[split], "percent": 100 * right[split] / max(1, asked[split])}
            for split in asked
        }
    return table


def crisp(shares: torch.Tensor) -> dict[str, float]:
    """Over all objects that were seen whole: how well their outlines fit, in percent of rendered ones."""
    known = 100 * shares[shares.isfinite()]
    ragged, mean = int((known < RAGGED).sum()), known.sum().item() / max(1, len(known))
    return {"objects": len(known), "mean": mean, "least": min(known.tolist(), default=0.0), "ragged": ragged}


def lines(table: Table) -> str:
    """The table for a terminal."""
    text = [f"  {'':<12}" + "".join(f"{split:>20}" for split in next(iter(table.values())))]
    for reading, row in table.items():
        cells = (f"{cell['percent']:6.1f} ({cell['right']}/{cell['asked']})" for cell in row.values())
        text.append(f"  {reading:<12}" + "".join(f"{cell:>20}" for cell in cells))
    return "\n".join(text)


def told(reading: VideoReading, verdicts: Mapping[str, ReadingVerdict]) -> list[dict[str, Any]]:
    """Of each video what was read, by its word, whether it was asked for, and whether it is right."""
    return [{name: _one(name, number, reading, verdicts) for name in WORDS} for number in range(len(reading.colour))]


def _one(name: str, number: int, reading: VideoReading, verdicts: Mapping[str, ReadingVerdict]) -> dict[str, Any]:
    index, verdict = int(getattr(reading, name)[number]), verdicts[name]
    read = WORDS[name][index] if index >= 0 else "none"
    return {"read": read, "right": bool(verdict.is_right[number]), "asked": bool(verdict.is_asked[number])}
