"""Results of the quality benchmark: one JSON line for each finished setting, so that a run can go on later."""

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import navicache

Row = dict[str, Any]

CONDITION = ("kind", "set", "prompts", "scheduler", "steps", "guidance", "size", "frames", "dtype", "device")
KEY = (*CONDITION, "curve", "setting")
CODE = ("estimator", "policies", "engine", "integrations")


class Results:
    """The lines of one file; a last line that was cut short is as if it had never been written."""

    def __init__(self, path: Path) -> None:
        """Read what is there."""
        content = path.read_bytes() if path.exists() else b""
        self.path, self._whole = path, content.rfind(b"\n") + 1
        self.rows: list[Row] = [json.loads(line) for line in content[: self._whole].splitlines()]
        self._keys = {key(row) for row in self.rows}

    def add(self, row: Row) -> None:
        """Append a finished setting, on the disk before this returns."""
        if key(row) in self._keys:
            raise ValueError(f"measured already: {key(row)}")
        with self.path.open("ab") as file:
            file.truncate(self._whole)
            self._whole += file.write(json.dumps(row).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.rows.append(row)
        self._keys.add(key(row))

    def has(self, row: Row) -> bool:
        """Whether the setting was measured already."""
        return key(row) in self._keys

    def of(self, condition: Row, curve: str | None = None) -> list[Row]:
        """The rows of a condition, or of one of its curves."""
        rows = [row for row in self.rows if all(row[name] == condition[name] for name in CONDITION)]
        return [row for row in rows if curve in (None, row["curve"])]

    def with_speed(self, condition: Row) -> list[Row]:
        """The rows of a condition that know their speed: their own, or that of the same setting timed by itself.

        Computing takes nearly all of the time, so where the timed prompts compute more or fewer steps than all do
        in the mean, their speed counts in that proportion.
        """
        if condition["kind"] == "timed":
            return self.of(condition)
        clock = {_setting(row): row for row in self.rows if row["kind"] == "timed"}
        timed = [(row, clock[_setting(row)]) for row in self.of(condition) if _setting(row) in clock]
        full = min((by["seconds_full"] for _, by in timed), default=0.0)  # nothing hastens a run, much slows one down
        found = []
        for row, by in timed:
            speed = full / by["seconds"] if by["rounds"] > 1 else by["speedup"]
            speed *= by["computed"] / row["computed"]
            found.append({**row, "speedup": speed, "timed": (by["prompts"], by["device"])})
        return found

    def conditions(self, kind: str) -> list[Row]:
        """The conditions measured so far, in the order they came."""
        found = {tuple(row[name] for name in CONDITION): row for row in self.rows if row["kind"] == kind}
        return [{name: row[name] for name in CONDITION} for row in found.values()]


class Deadline:
    """Says whether another setting fits into the time that is left, judged by the longest so far."""

    def __init__(self, seconds: float | None) -> None:
        """Start now; None never ends."""
        self.end = None if seconds is None else time.monotonic() + seconds
        self.longest = 0.0
        self.begin()

    def room(self) -> bool:
        """Ask before a setting."""
        self.begin()
        return self.end is None or self._since + self.longest < self.end

    def begin(self) -> None:
        """A setting begins."""
        self._since = time.monotonic()

    def lap(self) -> None:
        """Tell after a setting."""
        self.longest = max(self.longest, time.monotonic() - self._since)


def _setting(row: Row) -> tuple[Any, ...]:
    """What makes a setting the same one, however many prompts it was measured on, and wherever."""
    return tuple(row[name] for name in KEY if name not in ("kind", "prompts", "device"))


def key(row: Row) -> tuple[Any, ...]:
    """What makes a setting the same one."""
    return tuple(row[name] for name in KEY)


def code_digest() -> str:
    """The sources that decide what a policy does, in eight letters: rows of another digest may be out of date."""
    root = Path(navicache.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(file for folder in CODE for file in (root / folder).rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:8]
