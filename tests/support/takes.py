"""Takes without a pipeline: media, seconds and traces made up."""

import numpy as np
from tests.records.common import row, run_of

from navicache import Trace
from navicache.generation.media import Media
from navicache.generation.timed_calls import TimedOutput


def clip(value: float = 0.5, frames: int = 4) -> Media:
    return Media(np.full((frames, 32, 32, 3), value, np.float32), is_video=True)


def image(value: float = 0.5) -> Media:
    return Media(np.full((1, 32, 32, 3), value, np.float32), is_video=False)


def take(media: Media | None = None, call: float = 2.0, loop: float | None = 1.0) -> TimedOutput:
    return TimedOutput(media or clip(), call, loop)


def trace(*schedules: str, **fields) -> Trace:
    """A run for every schedule: C computed, r reused."""
    return Trace(tuple(run_of(row(schedule), **fields) for schedule in schedules))
