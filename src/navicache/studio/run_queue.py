"""Run the requests of several visitors, one after the other."""

import math
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event
from typing import Any

from navicache.generation.job import GenerationJob
from navicache.generation.timed_calls import TimedOutput
from navicache.studio.loaded_pipeline import LoadedPipeline
from navicache.studio.monitor import RunMonitor, RunProgress, RunStopped
from navicache.studio.request_run import run_request
from navicache.studio.tuning import TellProgress, TuneFound, TuneProgress

POLL_SECONDS = 0.1  # seconds between two looks at a run


@dataclass(frozen=True)
class VisitorRun:
    """A run in the queue: its progress and its future result."""

    news: "SimpleQueue[Any]"  # of `RunProgress`, or of `TuneProgress`
    future: "Future[Any]"  # of a `PromptResult`, or of a `TuneFound`
    stop: Event
    is_search: bool = False

    def follow(self) -> Iterator[Any]:
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

    def begin_search(self, visitor: Hashable, search: Callable[[TellProgress], TuneFound]) -> VisitorRun:
        """Queue a search; it is stopped after the run under way, when it tells of it."""
        self.stop(visitor)
        news, stop = SimpleQueue[TuneProgress](), Event()

        def tell(progress: TuneProgress) -> None:
            if stop.is_set():
                raise RunStopped
            news.put(progress)

        def work() -> TuneFound:
            tell(TuneProgress("waiting"))
            self.pipeline.free()  # the search loads the model itself
            return search(tell)

        run = VisitorRun(news, self._thread.submit(work), stop, is_search=True)
        self._running[visitor] = run
        return run

    def stop(self, visitor: Hashable, patience: float = 0.0) -> VisitorRun | None:
        """Stop the visitor's run at the end of its current step; waits `patience` seconds for it."""
        if run := self._running.pop(visitor, None):
            run.stop.set()
            wait([run.future], patience)
        return run

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
