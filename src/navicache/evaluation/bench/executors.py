"""Who does the jobs: this process, or Ray's workers (`ray_executor.py`). Both give the same rows."""

from collections.abc import Callable, Iterator, Sequence

from navicache.evaluation.bench.jobs import Group, Job
from navicache.evaluation.bench.rows import Row

Worker = Callable[[Job], Row]  # holds a loaded pipeline
MakeWorker = Callable[[], Worker]  # is sent to where the worker will live
Executor = Callable[[Sequence[Group], MakeWorker], Iterator[Row]]


def run_local(groups: Sequence[Group], make_worker: MakeWorker) -> Iterator[Row]:
    """One job after the other, in this process."""
    if any(groups):
        worker = make_worker()
        for group in groups:
            yield from map(worker, group)
