"""Run the requests of several visitors, one after the other."""

import math
from collections.abc import Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event

from navicache.generation.job import GenerationJob
from navicache.generation.results import PromptResult
from navicache.generation.timed_calls import TimedOutput
from navicache.studio.loaded_pipeline import LoadedPipeline
from navicache.studio.monitor import RunMonitor, RunProgress
from navicache.studio.request_run import run_request

POLL_SECONDS = 0.1  # seconds between two looks at a run


@dataclass(frozen=True)
class VisitorRun:
    """A run in the queue: its progress and its future result."""

    news: "SimpleQueue[RunProgress]"
    future: "Future[PromptResult]"
    stop: Event

    def follow(self) -> Iterator[RunProgress]:
        """Yield the newest progress until the run is over."""
        over = False
        while not over:
            over = bool(wait([self.future], POLL_SECONDS).done)
            newest = None
            while not self.news.empty():
                newest = self.news.get()
            if newest is not None:
                yield newest


@dataclass
class RunQueue:
    """Runs pipelines in a single thread, so that two runs never share one.

    Beside the loaded model it holds the runs under way, by visitor, and nothing of what they make.
    """

    pipeline: LoadedPipeline = field(default_factory=LoadedPipeline)
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "studio"))
    _running: dict[Hashable, VisitorRun] = field(default_factory=dict)

    def begin(
        self, visitor: Hashable, job: GenerationJob, plain: TimedOutput | None = None, minutes: float = math.inf
    ) -> VisitorRun:
        """Queue a run of at most so many minutes; an older run of the same visitor is stopped."""
        self.stop(visitor)
        news: SimpleQueue[RunProgress] = SimpleQueue()
        monitor = RunMonitor(news.put, minutes)
        run = VisitorRun(news, self._thread.submit(run_request, job, self.pipeline, plain, monitor), monitor.stop)
        self._running[visitor] = run
        return run

    def stop(self, visitor: Hashable, patience: float = 0.0) -> None:
        """Stop the visitor's run at the end of its current step; waits `patience` seconds for it."""
        if run := self._running.pop(visitor, None):
            run.stop.set()
            wait([run.future], patience)

    def end(self, visitor: Hashable, run: VisitorRun) -> None:
        """Stop and forget a run whose visitor has left."""
        run.stop.set()
        if self._running.get(visitor) is run:
            del self._running[visitor]

    def close(self) -> None:
        """Stop all runs."""
        for visitor in tuple(self._running):
            self.stop(visitor)
        self._thread.shutdown(cancel_futures=True)
