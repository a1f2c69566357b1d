"""Run jobs on many GPUs and machines: Ray actors with one loaded pipeline each.

A group stays with one worker, so that baseline and cached runs are timed on the same device. The jobs of a worker that
is lost go to another one; rows that have arrived are safe, since only this process writes them down.
"""

import logging
import os
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from navicache.evaluation.bench.executors import MakeWorker
from navicache.evaluation.bench.jobs import JobBatch, JobGroup
from navicache.evaluation.bench.rows import Row

MOST_LOSSES = 3  # of one batch: then it is the batch that kills its worker


@dataclass(frozen=True)
class RayExecutor:
    """Starts `workers` actors; None starts one per GPU of the cluster, or per CPU if it has no GPU."""

    workers: int | None = None
    address: str | None = None  # of a running cluster; None: the one of RAY_ADDRESS, or a new one on this machine

    def __call__(self, groups: Sequence[JobGroup], make_worker: MakeWorker) -> Iterator[list[Row]]:
        """Yield the rows of each batch as it finishes."""
        if not groups:
            return
        if self.address is None and not os.environ.get("RAY_ADDRESS"):
            listen_on_loopback()
        import ray

        ours = not ray.is_initialized()
        if ours:
            quiet: dict[str, Any] = {"include_dashboard": False} if self.address is None else {}
            ray.init(address=self.address, log_to_driver=False, logging_level=logging.ERROR, **quiet)
        try:
            yield from _WorkerPool(self._count(ray, len(groups)), make_worker, deque(groups)).rows()
        finally:
            if ours:
                ray.shutdown()

    def _count(self, ray: Any, groups: int) -> int:
        resources = ray.cluster_resources()
        usual = resources.get("GPU") or resources.get("CPU", 1)
        return max(1, min(groups, self.workers or int(usual)))


def listen_on_loopback() -> None:
    """Let a new Ray listen on 127.0.0.1 alone: it runs what it is sent, and asks nobody for a password.

    Ray reads this switch when it is imported. On Linux it listens on the machine's network address without it.
    """
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")


@dataclass
class _WorkerPool:
    """The workers, their batches, and the groups that wait."""

    count: int
    make_worker: MakeWorker
    waiting: deque[JobGroup]
    # By the promise of rows: actor, batches from them on.
    busy: dict[Any, tuple[Any, JobGroup]] = field(default_factory=dict)
    losses: Counter[str] = field(default_factory=Counter[str])

    def rows(self) -> Iterator[list[Row]]:
        import ray
        from ray.exceptions import RayActorError, RayTaskError

        for _ in range(self.count):
            self._assign(self._start_worker(), ())
        while self.busy:
            (promise,), _ = ray.wait(list(self.busy), num_returns=1)
            actor, group = self.busy.pop(promise)
            try:
                rows = ray.get(promise)
            except RayActorError as error:
                self._count_loss(group[0], error)
                self._assign(self._start_worker(), group)
            except RayTaskError as error:
                raise error.cause from error  # as if it had happened here
            else:
                self._assign(actor, group[1:])
                yield rows

    def _start_worker(self) -> Any:
        import ray

        gpus = 1 if ray.cluster_resources().get("GPU") else 0
        return ray.remote(num_cpus=1, num_gpus=gpus, max_restarts=0)(_WorkerActor).remote(self.make_worker)

    def _assign(self, actor: Any, group: JobGroup) -> None:
        """Give the actor the rest of its group or the next one; an unused actor is ended by Ray."""
        batches = group or (self.waiting.popleft() if self.waiting else ())
        if batches:
            self.busy[actor.run.remote(batches[0])] = (actor, batches)

    def _count_loss(self, batch: JobBatch, error: Exception) -> None:
        job = batch[0]
        self.losses[job.key] += 1
        if self.losses[job.key] >= MOST_LOSSES:
            raise ValueError(
                f"{job.setting.name} of {job.prompt!r} lost {MOST_LOSSES} workers, perhaps out of memory: {error}"
            ) from error


class _WorkerActor:
    def __init__(self, make_worker: MakeWorker) -> None:
        self._worker = make_worker()

    def run(self, batch: JobBatch) -> list[Row]:
        return self._worker(batch)
