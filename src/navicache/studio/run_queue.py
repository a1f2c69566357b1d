"""Runs of several visitors: one after the other, each to be stopped by its own visitor alone."""

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
    """A run under way: its news, and what comes of it."""

    news: "SimpleQueue[RunProgress]"
    future: "Future[PromptResult]"
    stop: Event

    def follow(self) -> Iterator[RunProgress]:
        """The newest news until the run is over; what was missed in between is not made up for."""
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
    """The one place where pipelines run: a single thread, so a pipeline never sees two runs at once.

    Beside the loaded model it holds the runs under way, by visitor, and nothing of what they make.
    """

    shelf: LoadedPipeline = field(default_factory=LoadedPipeline)
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "studio"))
    _running: dict[Hashable, VisitorRun] = field(default_factory=dict)

    def begin(self, visitor: Hashable, job: GenerationJob, plain: TimedOutput | None = None) -> VisitorRun:
        """Put a run in the line; a visitor has one at a time, so an older one is stopped."""
        self.stop(visitor)
        news: SimpleQueue[RunProgress] = SimpleQueue()
        watch = RunMonitor(news.put)
        run = VisitorRun(news, self._thread.submit(run_request, job, self.shelf, plain, watch), watch.stop)
        self._running[visitor] = run
        return run

    def stop(self, visitor: Hashable, patience: float = 0.0) -> None:
        """At the end of the step that is going on, which is waited for a while; nothing where nothing runs."""
        if run := self._running.pop(visitor, None):
            run.stop.set()
            wait([run.future], patience)

    def end(self, visitor: Hashable, run: VisitorRun) -> None:
        """The visitor looks no longer: what still goes on is stopped, and forgotten."""
        run.stop.set()
        if self._running.get(visitor) is run:
            del self._running[visitor]

    def close(self) -> None:
        """Stop everything."""
        for visitor in tuple(self._running):
            self.stop(visitor)
        self._thread.shutdown(cancel_futures=True)
