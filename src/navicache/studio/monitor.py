"""Report the progress of a pipeline's call, and stop it on request or when its time is over."""

import inspect
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

import numpy as np

from navicache.generation.progress import StepCounts, synchronize_device
from navicache.generation.timed_calls import TimedOutput
from navicache.integrations.denoiser_search import find_denoisers
from navicache.studio.preview import decode_preview

PREVIEWS = 6  # of a run, about
HOOK = "callback_on_step_end"
PLAIN, CACHED = "no cache", "with the cache"  # the two runs of a request


class RunStopped(Exception):
    """The visitor has stopped the run or left."""


class RunTooLong(ValueError):
    """The run took longer than this studio allows."""


@dataclass(frozen=True)
class RunProgress:
    """The progress of a run: one square for each step, True if it was computed."""

    doing: str = ""
    squares: tuple[bool, ...] = ()
    total: int | None = None
    picture: np.ndarray | None = None  # (height, width, 3) in [0, 1]: the latent, decoded
    plain: TimedOutput | None = None  # once the run without the cache is over
    seconds: float = 0.0  # since this call began

    @property
    def seconds_left(self) -> float | None:
        """Of this call, if its steps go on as they did; None before the first step and after the last."""
        done, total = len(self.squares), self.total or 0
        return self.seconds / done * (total - done) if 0 < done < total else None


@dataclass
class RunMonitor:
    """Publishes the progress of one visitor's run, and stops it before a call of its model or at the end of a step."""

    publish: Callable[[RunProgress], None]
    minutes: float = math.inf  # the longest run
    stop: Event = field(default_factory=Event)
    news: RunProgress = RunProgress()
    preview_seconds: float = 0.0  # seconds of this call that went into pictures of it
    began: float = field(default_factory=time.monotonic)  # the call under way
    deadline: float = math.inf  # of `time.monotonic`

    def start_clock(self) -> None:
        """The run begins here: the time to load its model does not count."""
        self.deadline = time.monotonic() + 60 * self.minutes

    def begin(self, doing: str) -> None:
        """Another call begins; the last preview stays until there is a newer one."""
        self.preview_seconds, self.began = 0.0, time.monotonic()
        self.update(doing=doing, squares=(), total=None)

    def update(self, **changed: Any) -> None:
        """Change the progress and publish it."""
        self.news = replace(self.news, **changed, seconds=time.monotonic() - self.began)
        self.publish(self.news)

    def raise_if_stopped(self) -> None:
        """Raise `RunStopped` if the run was stopped, and `RunTooLong` if its time is over."""
        if self.stop.is_set():
            raise RunStopped
        if time.monotonic() > self.deadline:
            raise RunTooLong(
                f"stopped after {self.minutes:g} minutes, the limit of this studio: fewer steps or frames, or a "
                "smaller size may do"
            )

    @contextmanager
    def watch(self, pipe: Any) -> Iterator[None]:
        """Stop within: every call of a denoiser asks, since many pipelines take no callback."""
        models = find_denoisers(pipe).values()
        calls = [model.register_forward_pre_hook(lambda *_: self.raise_if_stopped()) for model in models]
        try:
            yield
        finally:
            for call in calls:
                call.remove()

    def callback_arguments(self, pipe: Any, counts: StepCounts | None = None) -> dict[str, Any]:
        """The callback argument of the pipeline's call; empty if the pipeline takes none."""
        takes = inspect.signature(type(pipe).__call__).parameters
        return {HOOK: self._listener(counts)} if HOOK in takes else {}

    def subtract_previews(self, take: TimedOutput) -> TimedOutput:
        """The output with the seconds of the previews subtracted."""
        loop = None if take.loop_seconds is None else take.loop_seconds - self.preview_seconds
        return replace(take, call_seconds=take.call_seconds - self.preview_seconds, loop_seconds=loop)

    def _listener(self, counts: StepCounts | None) -> Callable[..., Mapping[str, Any]]:
        def step_end(pipe: Any, step: int, timestep: Any, tensors: Mapping[str, Any]) -> Mapping[str, Any]:
            self.raise_if_stopped()
            squares, total = (*self.news.squares, self._computed(counts)), len(pipe.scheduler.timesteps)
            due = len(squares) % max(1, total // PREVIEWS) == 0 and len(squares) < total
            picture = self._picture(pipe, tensors["latents"]) if due else None
            self.update(squares=squares, total=total, picture=self.news.picture if picture is None else picture)
            return {}

        return step_end

    def _computed(self, counts: StepCounts | None) -> bool:
        """Whether the newest step was computed, by the cache's counts."""
        return counts is None or counts()[0] > sum(self.news.squares)

    def _picture(self, pipe: Any, latents: Any) -> np.ndarray | None:
        synchronize_device()
        start = time.perf_counter()
        picture = decode_preview(pipe, latents)
        synchronize_device()
        self.preview_seconds += time.perf_counter() - start
        return picture
