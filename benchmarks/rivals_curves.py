"""The policies of the comparison, each with the one knob that varies, and the lines that were measured."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import navicache
from navicache.models import read_calibration
from navicache.pocket import calibration_path

SPEEDS = (1.5, 2.0, 2.5, 3.0)
WIDE = (100, 930)  # timesteps between which attention is reused


@dataclass(frozen=True)
class Curve:
    """A policy of which one knob varies."""

    group: str
    settings: tuple[float, ...]
    knobs: Mapping[str, Any] = field(default_factory=dict)
    varies: str = "threshold"
    whole: bool = False  # the knob is a whole number
    calibrated: bool = False
    together: bool = True  # many prompts in a batch come out as each by itself: no decision, or one for each

    @contextmanager
    def applied(self, pipe: Any, value: float) -> Iterator[navicache.Cache | None]:
        """The cache on the pipeline, and off again."""
        if self.group == "fewer steps":
            yield None
            return
        measured = dict(read_calibration(calibration_path(self.group)).knobs) if self.calibrated else {}
        knobs = {**measured, **self.knobs, self.varies: int(value) if self.whole else value}
        with navicache.enable(pipe, navicache.policies.build_policy(self.group, **knobs)) as cache:
            yield cache

    def steps(self, value: float, steps: int) -> int:
        """Steps of the run: as asked, but for the baseline that takes fewer."""
        return round(steps * value) if self.group == "fewer steps" else steps


SHARES = (0.68, 0.52, 0.42, 0.34)
SEA = (0.05, 0.1, 0.2, 0.4, 0.8)
TAUS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
CURVES: dict[str, Curve] = {
    "inertial": Curve("inertial", (1.45, 1.5, 1.9, 2.2, 2.6, 3.1, 3.5), varies="speedup"),
    "inertial, blocks": Curve("inertial", (1.45, 1.6, 2.1, 2.7, 3.6), {"site": "blocks"}, "speedup", together=False),
    "navicache": Curve("navicache", (0.0125, 0.02, 0.035, 0.05, 0.08, 0.12), {"align_steps": 5}),
    "navicache, blocks": Curve(
        "navicache", (0.02, 0.04, 0.08, 0.16, 0.3), {"align_steps": 5, "site": "blocks"}, together=False
    ),
    "easycache": Curve("easycache", (0.0125, 0.02, 0.035, 0.05, 0.08, 0.12), {"align_steps": 5}),
    "seacache": Curve("seacache", SEA, {"longest_reuse": None, "align_steps": 5}, together=False),
    "seacache, dead reckoning": Curve(
        "seacache", SEA, {"longest_reuse": None, "predictor": "dead_reckoning", "align_steps": 5}, together=False
    ),
    "taylorseer": Curve("taylorseer", (2, 3, 4, 6, 8), {"stop": 49}, "interval", whole=True),
    "taylorseer, lite": Curve("taylorseer", (2, 3, 4, 6), {"lite": True, "stop": 49}, "interval", whole=True),
    "teacache": Curve("teacache", (0.02, 0.05, 0.1, 0.2, 0.4), calibrated=True),
    "magcache": Curve("magcache", (0.02, 0.05, 0.1, 0.2, 0.4, 0.8), {"longest_reuse": 8}, calibrated=True),
    "firstblockcache": Curve("firstblockcache", TAUS, together=False),
    "dbcache": Curve("dbcache", TAUS, {"first": 2, "last": 1, "align_steps": 5}, together=False),
    "dbcache, one block": Curve(
        "dbcache", (0.035, 0.04, 0.08, 0.16, 0.32, 0.6), {"first": 1, "last": 0, "align_steps": 5}, together=False
    ),
    "pab": Curve(
        "pab", (2, 3, 4, 8), {"cross_attention": 6, "self_window": WIDE, "cross_window": WIDE}, "self_attention", True
    ),
    "static": Curve("static", (1.4, 1.6, 2.1, 2.7, 3.4, 4.2), varies="interval"),
    "random": Curve("random", (*SHARES, 0.2), varies="probability"),
    "fewer steps": Curve("fewer steps", (*SHARES, 0.26), varies="share"),
}


EVERY_STEP = Curve("fewer steps", (1.0,), varies="share")


class Rows:
    """Lines of all result files in a folder; new ones go to one of them."""

    def __init__(self, folder: Path, name: str) -> None:
        """Read what is there; a last line that was cut short is as if it had never been written."""
        self.path = folder / name
        self.rows: list[dict[str, Any]] = []
        for file in sorted(folder.glob("results*.jsonl")):
            text = file.read_text()
            whole = text[: text.rfind("\n") + 1]
            self.rows += [json.loads(line) for line in whole.splitlines()]
            if file == self.path and whole != text:
                file.write_text(whole)

    def has(self, kind: str, policy: str, setting: float) -> bool:
        """Whether the setting was measured."""
        return self.count(kind, policy, setting) > 0

    def count(self, kind: str, policy: str, setting: float) -> int:
        """How often the setting was measured."""
        return len(self.of(kind, policy, setting))

    def of(self, kind: str, policy: str, setting: float) -> list[dict[str, Any]]:
        """The setting's lines."""
        return [r for r in self.rows if (r["kind"], r["policy"], r["setting"]) == (kind, policy, setting)]

    def laps(self, policy: str, setting: float) -> list[float]:
        """Of each step the fastest that was seen of it; nothing where none was timed."""
        timed = self.of("timing", policy, setting)
        return [min(same) for same in zip(*(r["laps"] for r in timed), strict=True)]

    def add(self, row: dict[str, Any]) -> None:
        """Append a finished setting."""
        self.rows.append(row)
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")

    def points(self, policy: str) -> list[dict[str, Any]]:
        """Settings of a policy with both speed and quality."""
        full = sum(self.laps("every step", 1.0))
        known = [row for row in self.rows if (row["kind"], row["policy"]) == ("quality", policy)]
        pairs = [(row, self.seconds(row)) for row in known]
        return [{**row, "speedup": full / seconds} for row, seconds in pairs if seconds is not None]

    def seconds(self, quality: dict[str, Any]) -> float | None:
        """Of a setting, as if the timed prompts had computed as many steps as all do in the mean; None: not timed."""
        setting = quality["policy"], quality["setting"]
        timed = self.of("timing", *setting)
        if not timed:
            return None
        everyone = quality["each"]["computed"]
        wanted = timed[0]["timed"] * sum(everyone) / len(everyone)
        return seconds_with(wanted, self.laps(*setting), timed[0]["computed"])


def seconds_with(wanted: float, laps: Sequence[float], computed: float) -> float:
    """What these laps would have taken with as many computed steps among them as wanted.

    One more costs what the longest laps, which are those computed, last longer than the others.

    Example:
        >>> seconds_with(2, [3.0, 1.0, 3.0, 1.0], computed=2)
        8.0
        >>> seconds_with(2.5, [3.0, 1.0, 3.0, 1.0], computed=2)
        9.0
    """
    if computed == wanted:
        return sum(laps)
    ordered, made = sorted(laps, reverse=True), round(computed)
    spared = ordered[made:]
    longer = sum(ordered[:made]) / made - (sum(spared) / len(spared) if spared else 0.0)
    return sum(laps) + (wanted - computed) * longer
