"""Estimate how much a benchmark will write, and check that the disk has room."""

import inspect
import math
import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from navicache.evaluation.bench.jobs import BenchJob
from navicache.evaluation.bench.plan import STEPS, BenchPlan
from navicache.weights_package import import_opensora

CHANNELS, FLOAT = 3, 4  # of a frame as it leaves the pipeline
VIDEO_BITS = 1.0  # per pixel of an encoded video, rounded up
ROW, STEP = 4096, 2048  # bytes of a row, and of a step of a trace with all streams
USUAL_STEPS = 50


def estimate_bytes(jobs: Sequence[BenchJob], plan: BenchPlan, pipelines: Mapping[str, Any], keeps_frames: bool) -> int:
    """Bytes of rows, videos, traces and frames that these jobs write; `pipelines` holds classes by model name.

    Frames of the baselines go group by group, those of one batch at a time; all of them stay, and those of every
    cached video too, while a metric has to wait for them.
    """
    pixels = {job.key: _count_pixels(job, pipelines.get(job.model.name)) for job in jobs}
    total = sum(_file_bytes(job, plan, pixels[job.key]) for job in jobs)
    frames = [CHANNELS * FLOAT * pixels[job.key] for job in jobs if job.kind != "shadow"]
    if keeps_frames:
        return total + sum(frames)
    return total + max(frames, default=0) * max((plan.batch_of(job.model) for job in jobs), default=0)


def _file_bytes(job: BenchJob, plan: BenchPlan, pixels: int) -> int:
    shadow = job.kind == "shadow"
    video = not shadow and (plan.videos is None or job.prompt_index < plan.videos)
    trace = shadow or (job.kind == "cached" and (plan.traces is None or job.prompt_index < plan.traces))
    steps = job.arguments.get(STEPS, USUAL_STEPS)
    return ROW + video * round(pixels * VIDEO_BITS / 8) + trace * steps * STEP


def _count_pixels(job: BenchJob, pipeline: Any) -> int:
    """Pixels of all frames; 0 if neither the plan nor the pipeline gives the size."""
    usual = {} if pipeline is None else inspect.signature(pipeline.__call__).parameters
    known = {name: entry.default for name, entry in usual.items() if isinstance(entry.default, (int, str))}
    sizes: dict[str, Any] = {**known, **job.arguments}
    if isinstance(sizes.get("resolution"), str) and not sizes.get("height"):
        names = sizes.keys() & {"resolution", "aspect_ratio", "num_frames"}
        return _count_opensora_pixels(**{name: sizes[name] for name in names})
    return sizes.get("num_frames", 2) * sizes.get("height", 0) * sizes.get("width", 0)  # an image is kept twice


@cache  # reads tables of a file
def _count_opensora_pixels(resolution: str, aspect_ratio: str = "9:16", num_frames: int | str = 51) -> int:
    """Pixels of sizes by name, with the defaults of a pipeline that may not be here yet."""
    sizes = import_opensora("navicache_opensora.sizes")
    return math.prod((*sizes.look_up_size(resolution, aspect_ratio), sizes.parse_num_frames(num_frames)))


def check_free_space(out: Path, wanted: int, advice: str) -> None:
    """Refuse a disk that has too little room."""
    nearest = next(path for path in (out, *out.absolute().parents) if path.is_dir())
    free = shutil.disk_usage(nearest).free
    if wanted > free:
        raise ValueError(
            f"about {format_bytes(wanted)} will be written to {out}, and {format_bytes(free)} are free there: "
            f"make room, name another folder with --out, or {advice}"
        )


def format_bytes(size: float) -> str:
    """A number of bytes with a unit.

    Example:
        >>> format_bytes(999), format_bytes(2_500_000), format_bytes(6.6e12)
        ('1 kB', '2.5 MB', '6.6 TB')
    """
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 1000:
            return f"{size:.2g} {unit}" if size < 100 else f"{size:.0f} {unit}"
    return f"{size / 1000:.2g} TB" if size < 100_000 else f"{size / 1000:.0f} TB"
