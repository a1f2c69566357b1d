"""Run the jobs in this process; `ray_executor.py` runs them on several workers."""

from collections.abc import Callable, Iterator, Sequence

from navicache.evaluation.bench.jobs import JobBatch, JobGroup
from navicache.evaluation.bench.rows import Row

BatchWorker = Callable[[JobBatch], list[Row]]  # holds a loaded pipeline
MakeWorker = Callable[[], BatchWorker]  # is sent to where the worker will live
Executor = Callable[[Sequence[JobGroup], MakeWorker], Iterator[list[Row]]]  # the rows of a batch come together


def run_in_process(groups: Sequence[JobGroup], make_worker: MakeWorker) -> Iterator[list[Row]]:
    """Run one batch after the other in this process."""
    if any(groups):
        worker = make_worker()
        for group in groups:
            yield from map(worker, group)
