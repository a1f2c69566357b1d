"""The rows that a benchmark left."""

import json
from pathlib import Path
from typing import Any

from navicache.evaluation.bench.session import ROWS


def rows_of(out: Path) -> list[dict[str, Any]]:
    """All of them, in the order of their keys, so that two benchmarks can be compared."""
    return sorted(_lines(out), key=lambda row: row["key"])


def rows_by_key(out: Path) -> dict[str, dict[str, Any]]:
    """Each under its key, in the order they were written; each key once."""
    rows = _lines(out)
    found = {row["key"]: row for row in rows}
    assert len(found) == len(rows), "a job is measured once"
    return found


def _lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / ROWS).read_text().splitlines()]
