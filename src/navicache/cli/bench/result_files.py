"""Files of a benchmark: videos, traces, and frames and sound of baselines while they are needed."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from navicache.cli.bench.waiting_frames import save_frames
from navicache.evaluation.bench.jobs import BenchJob
from navicache.evaluation.sound import Sound
from navicache.generation.media import Media
from navicache.generation.timed_calls import TimedOutput
from navicache.records import Trace, open_atomic_file


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


class Baseline(NamedTuple):
    """What a baseline made, exactly: frames for the metrics, and its sound."""

    clip: np.ndarray
    sound: Sound | None


@dataclass
class BaselineFrames:
    """Frames and sound of the baselines: on disk until their group is finished, in memory for the current batch."""

    out: Path
    _newest: dict[str, Baseline] = field(default_factory=dict)

    def keep_only(self, groups: Collection[str]) -> None:
        """Forget the frames of all other groups."""
        self._newest = {group: kept for group, kept in self._newest.items() if group in groups}

    def keep(self, job: BenchJob, made: Media) -> None:
        """Keep the frames and the sound of a new baseline."""
        save_frames(self.out / job.reference, made.clip)
        if made.sound is not None:
            with open_atomic_file(self.out / job.reference_sound) as file:
                np.savez(file, **made.sound._asdict())
        self._newest[job.group] = Baseline(made.clip, made.sound)

    def find(self, job: BenchJob) -> Baseline | None:
        """What the baseline of the job's group made; None if another machine has it."""
        path = self.out / job.reference
        if job.group not in self._newest and path.exists():
            clip = np.load(path, allow_pickle=False)
            self._newest[job.group] = Baseline(clip, _load_sound(self.out / job.reference_sound))
        return self._newest.get(job.group)


def _load_sound(path: Path) -> Sound | None:
    if not path.exists():
        return None
    with np.load(path, allow_pickle=False) as kept:
        return Sound(kept["samples"], int(kept["rate"]))
