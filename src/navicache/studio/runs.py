"""Runs of several visitors: one after the other, each to be stopped by its own visitor alone."""

from collections.abc import Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event

from navicache.generation.calls import Take
from navicache.generation.job import Job
from navicache.generation.results import Result
from navicache.studio.shelf import Shelf
from navicache.studio.watch import News, Watch
from navicache.studio.work import carry_out

PATIENCE = 0.1  # seconds between two looks at a run


@dataclass(frozen=True)
class Run:
    """A run under way: its news, and what comes of it."""

    news: "SimpleQueue[News]"
    future: "Future[Result]"
    stop: Event

    def follow(self) -> Iterator[News]:
        """The newest news until the run is over; what was missed in between is not made up for."""
        over = False
        while not over:
            over = bool(wait([self.future], PATIENCE).done)
            newest = None
            while not self.news.empty():
                newest = self.news.get()
            if newest is not None:
                yield newest


@dataclass
class Runs:
    """The one place where pipelines run: a single thread, so a pipeline never sees two runs at once.

    Beside the loaded model it holds the runs under way, by visitor, and nothing of what they make.
    """

    shelf: Shelf = field(default_factory=Shelf)
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "studio"))
    _going: dict[Hashable, Run] = field(default_factory=dict)

    def begin(self, visitor: Hashable, job: Job, plain: Take | None = None) -> Run:
        """Put a run in the line; a visitor has one at a time, so an older one is stopped."""
        self.stop(visitor)
        news: SimpleQueue[News] = SimpleQueue()
        watch = Watch(news.put)
        run = Run(news, self._thread.submit(carry_out, job, self.shelf, plain, watch), watch.stop)
        self._going[visitor] = run
        return run

    def stop(self, visitor: Hashable, patience: float = 0.0) -> None:
        """At the end of the step that is going on, which is waited for a while; nothing where nothing runs."""
        if run := self._going.pop(visitor, None):
            run.stop.set()
            wait([run.future], patience)

    def end(self, visitor: Hashable, run: Run) -> None:
        """The visitor looks no longer: what still goes on is stopped, and forgotten."""
        run.stop.set()
        if self._going.get(visitor) is run:
            del self._going[visitor]

    def close(self) -> None:
        """Stop everything."""
        for visitor in tuple(self._going):
            self.stop(visitor)
        self._thread.shutdown(cancel_futures=True)
