"""The players' side of a report: every prompt with its runs, their traces and videos."""

import mimetypes
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from navicache.cli.report.results import FOLDER, BenchResults
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.bench.summaries import SettingSummary, is_batched, measure_speedup
from navicache.records import summarise
from navicache.report.palette import policy_colour
from navicache.report.templating import encode_file

MOST_BYTES_INSIDE = 32 * 2**20  # bytes of all videos: a larger page opens slowly
TRACE_COLUMNS = ("ratio", "measured_ratio", "accumulated", "threshold")


def select_groups_with_videos(rows: Sequence[Row], most: int) -> list[list[Row]]:
    """The rows of each group with players: the first so many of every model and condition that have a baseline.

    A group has the same model, condition, prompt and seed. Pictures have no player, and are left out; so are runs
    whose video was not kept.
    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row["kind"] != "shadow" and (row["video"] or "").endswith(".mp4"):
            groups.setdefault(row["group"], []).append(row)
    shown, counts = [], Counter[tuple[str, str]]()
    for own in groups.values():
        place = own[0]["model"], own[0]["condition"]
        if counts[place] < most and any(row["kind"] == "baseline" for row in own):
            counts[place] += 1
            shown.append(own)
    return shown


def build_prompt_views(
    results: BenchResults, groups: Sequence[Sequence[Row]], best: SettingSummary | None
) -> tuple[Mapping[str, Any], ...]:
    """What the players and the traces need of each group."""
    first = best.place[2] if best else None
    many = [name for name in ("model", "condition") if len({row[name] for row in results.rows}) > 1]
    return tuple(
        {
            "text": ": ".join([*(rows[0][name] for name in many), rows[0]["prompt"]]),
            "first": first if any(row["setting"] == first for row in rows) else None,
            "runs": [_build_run_view(results, row, rows) for row in rows],
        }
        for rows in groups
    )


def _build_run_view(results: BenchResults, row: Row, group: Sequence[Row]) -> dict[str, Any]:
    plain = next(made for made in group if made["kind"] == "baseline")
    quality, run = row["quality"] or {}, results.run(row)
    baseline = row["kind"] == "baseline"
    label = "no cache" if baseline else row["setting"]
    faster = measure_speedup(row, plain, "call")
    steps, seconds = row["steps"], None if is_batched(row) else row["seconds"]["call"]
    known = ((seconds, "{:.1f} s"), (faster if not baseline else None, "{:.2f}×"), (quality.get("psnr"), "{:.1f} dB"))
    return {
        "setting": row["setting"],
        "label": label,
        "words": f"{label}: {', '.join(form.format(value) for value, form in known if value is not None)}".rstrip(": "),
        "video": video_name(row),
        "colour": policy_colour(row["policy"]),
        "count": steps["computed"],
        "seconds": seconds,
        "speedup": faster,
        **{name: quality.get(name) for name in ("psnr", "ssim", "lpips")},
        "computed": list(map(int, run.column("computed"))) if run else [1] * (steps["total"] or 0),
        "trace": {name: [_round(v) for v in run.column(name)] for name in TRACE_COLUMNS} if run else None,
        "summary": summarise([run]) if run else "",
    }


def _round(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


def video_name(row: Row) -> str:
    """What a video is called inside the page."""
    return row["key"]


def build_video_addresses(rows: Sequence[Row], where: str, page_folder: Path) -> dict[str, str]:
    """Address of every video: itself, encoded, or the way to it from the page."""
    files = {video_name(row): row[FOLDER] / row["video"] for row in rows}
    is_small = sum(path.stat().st_size for path in files.values()) <= MOST_BYTES_INSIDE
    if where == "inside" or (where == "auto" and is_small):
        return {name: _data_address(path) for name, path in files.items()}
    return {name: _relative_address(path, page_folder) for name, path in files.items()}


def _data_address(path: Path) -> str:
    kind = mimetypes.guess_type(path.name)[0]
    return f"data:{kind};base64,{encode_file(path)}"


def _relative_address(path: Path, page_folder: Path) -> str:
    return quote(Path(os.path.relpath(path.resolve(), page_folder.resolve())).as_posix())
