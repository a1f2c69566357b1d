"""Rows of a benchmark: those that one left, and made-up ones."""

import json
from pathlib import Path
from typing import Any

from navicache.evaluation.bench.session import ROWS
from navicache.evaluation.file_comparison import SCORE_NAMES


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


def measured_row(
    setting: str = "N",
    group: str = "g",
    call: float = 2.0,
    *,
    kind: str = "cached",
    computed: int = 5,
    psnr: float | None = None,
    **more: Any,
) -> dict[str, Any]:
    """What a job of ten steps could have left; `more` are entries of the row."""
    quality = None if psnr is None else {**dict.fromkeys(SCORE_NAMES, 0.9), "psnr": psnr, "lpips": None}
    seconds = {"call": call, "loop": call / 2, **more.pop("seconds", {})}
    return {
        **{"key": f"{setting} {group}", "group": group, "kind": kind, "trace": None},
        **{"model": "m", "condition": "c", "setting": setting, "policy": "none" if kind == "baseline" else "navicache"},
        **{"seconds": seconds, "harness_seconds": 0.5, "peak_memory": None, "quality": quality},
        **{"steps": {"total": 10, "computed": computed, "partial": more.pop("partial", 0)}, **more},
    }
