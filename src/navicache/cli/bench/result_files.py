"""Files of a benchmark: videos, traces, and the frames of baselines while they are needed."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from navicache.cli.bench.waiting_frames import save_frames
from navicache.evaluation.bench.jobs import BenchJob
from navicache.generation.timed_calls import TimedOutput
from navicache.records import Trace


@dataclass(frozen=True)
class ResultFiles:
    """Writes videos and traces of the first prompts; None keeps all, and traces of shadow runs are always kept."""

    out: Path
    videos: int | None = None
    traces: int | None = None

    def write(self, job: BenchJob, made: TimedOutput, trace: Trace) -> dict[str, Any]:
        """Write the files that are kept; returns their paths."""
        files: dict[str, str | None] = {"video": None, "trace": None}
        if job.kind != "shadow" and _is_kept(job, self.videos):
            files["video"] = f"{job.video}{made.media.suffix}"
            made.media.save(self._place(files["video"]), job.model.fps)
        if trace.runs and (job.kind == "shadow" or _is_kept(job, self.traces)):
            files["trace"] = str(job.trace)
            trace.save(self._place(files["trace"]))
        return files

    def _place(self, name: str) -> Path:
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def _is_kept(job: BenchJob, first: int | None) -> bool:
    return first is None or job.prompt_index < first


@dataclass
class BaselineFrames:
    """Exact frames of the baselines: on disk until their group is finished, in memory for the current batch."""

    out: Path
    _newest: dict[str, np.ndarray] = field(default_factory=dict)

    def keep_only(self, groups: Collection[str]) -> None:
        """Forget the frames of all other groups."""
        self._newest = {group: clip for group, clip in self._newest.items() if group in groups}

    def keep(self, job: BenchJob, clip: np.ndarray) -> None:
        """Keep the frames of a new baseline."""
        save_frames(self.out / job.reference, clip)
        self._newest[job.group] = clip

    def find(self, job: BenchJob) -> np.ndarray | None:
        """The frames of the job's group; None if another machine has them."""
        path = self.out / job.reference
        if job.group not in self._newest and path.exists():
            self._newest[job.group] = np.load(path, allow_pickle=False)
        return self._newest.get(job.group)
