"""Frames that wait for LPIPS: kept exactly while its weights are missing, then scored and removed."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from navicache.evaluation import measure
from navicache.evaluation.bench.jobs import BenchJob
from navicache.evaluation.bench.rows import Row, RowFile
from navicache.evaluation.perceptual import MIN_FRAME_SIDE
from navicache.records import open_atomic_file

FRAMES, REFERENCES = "frames", "references"


def save_frames(path: Path, clip: np.ndarray) -> None:
    """Write frames atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic_file(path) as file:
        np.save(file, clip)


def keep_for_lpips(out: Path, job: BenchJob, clip: np.ndarray, quality: Mapping[str, Any]) -> None:
    """Keep the frames of a video that has no LPIPS yet, unless they are too small for it."""
    if quality.get("lpips_missing") and min(clip.shape[1:3]) >= MIN_FRAME_SIDE:
        save_frames(out / job.frames, clip)


def find_waiting_frames(out: Path) -> list[Path]:
    """The files of the frames that wait, sorted by group."""
    return sorted(out.glob(f"{FRAMES}/*/*.npy"))


def complete_lpips(out: Path, rows: RowFile, planned: Collection[str]) -> Iterator[int]:
    """Score the waiting frames, remove them, and yield how many were scored in each group.

    The reference of a group that the plan does not have any more goes too; that of any other may still be needed.
    """
    known = {row["key"]: row for row in rows.rows}
    for folder in sorted({path.parent for path in find_waiting_frames(out)}):
        reference = out / REFERENCES / f"{folder.name}.npy"
        clips = {path.stem: path for path in folder.glob("*.npy")}
        due = {key: path for key, path in clips.items() if key in known and known[key]["quality"]["lpips"] is None}
        if due and not reference.exists():
            continue  # its baseline is lost; `bench` keeps reporting that these wait
        if due:
            plain = np.load(reference, allow_pickle=False)
            rows.replace(*(_add_lpips(known[key], plain, path) for key, path in due.items()))
        for path in clips.values():  # those of a job that was never finished too: it runs again
            path.unlink()
        folder.rmdir()
        if folder.name not in planned:
            reference.unlink(missing_ok=True)
        yield len(due)


def _add_lpips(row: Row, reference: np.ndarray, path: Path) -> Row:
    found = measure(reference, np.load(path, allow_pickle=False), ["lpips"])
    return {**row, "quality": {**row["quality"], **found}}
