"""Many GPUs and machines: Ray actors that hold a loaded pipeline each.

A group stays with one worker, so that baseline and cached runs are timed on the same device. The jobs of a worker that
is lost go to another one; rows that have arrived are safe, since only this process writes them down.
"""

import logging
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from navicache.evaluation.bench.executors import MakeWorker
from navicache.evaluation.bench.jobs import Batch, Group
from navicache.evaluation.bench.rows import Row

MOST_LOSSES = 3  # of one batch: then it is the batch that kills its worker


@dataclass(frozen=True)
class RayExecutor:
    """Start so many workers; None: one for each GPU of the cluster, or for each CPU where it has none."""

    workers: int | None = None
    address: str | None = None  # of a running cluster; None: the one of RAY_ADDRESS, or a new one on this machine

    def __call__(self, groups: Sequence[Group], make_worker: MakeWorker) -> Iterator[list[Row]]:
        """Rows as they come."""
        if not groups:
            return
        import ray

        ours = not ray.is_initialized()
        if ours:
            quiet: dict[str, Any] = {"include_dashboard": False} if self.address is None else {}
            ray.init(address=self.address, log_to_driver=False, logging_level=logging.ERROR, **quiet)
        try:
            yield from _Crew(self._count(ray, len(groups)), make_worker, deque(groups)).rows()
        finally:
            if ours:
                ray.shutdown()

    def _count(self, ray: Any, groups: int) -> int:
        resources = ray.cluster_resources()
        usual = resources.get("GPU") or resources.get("CPU", 1)
        return max(1, min(groups, self.workers or int(usual)))


@dataclass
class _Crew:
    """The workers, what each is doing, and what waits."""

    count: int
    make_worker: MakeWorker
    waiting: deque[Group]
    busy: dict[Any, tuple[Any, Group]] = field(
        default_factory=dict
    )  # by the promise of rows: actor, batches from them on
    losses: Counter[str] = field(default_factory=Counter[str])

    def rows(self) -> Iterator[list[Row]]:
        import ray
        from ray.exceptions import RayActorError, RayTaskError

        for _ in range(self.count):
            self._give(self._hire(), ())
        while self.busy:
            (promise,), _ = ray.wait(list(self.busy), num_returns=1)
            actor, group = self.busy.pop(promise)
            try:
                rows = ray.get(promise)
            except RayActorError as error:
                self._lost(group[0], error)
                self._give(self._hire(), group)
            except RayTaskError as error:
                raise error.cause from error  # as if it had happened here
            else:
                self._give(actor, group[1:])
                yield rows

    def _hire(self) -> Any:
        import ray

        gpus = 1 if ray.cluster_resources().get("GPU") else 0
        return ray.remote(num_cpus=1, num_gpus=gpus, max_restarts=0)(_Actor).remote(self.make_worker)

    def _give(self, actor: Any, group: Group) -> None:
        """The rest of its group, or the next one; an actor that nobody refers to any more ends by itself."""
        batches = group or (self.waiting.popleft() if self.waiting else ())
        if batches:
            self.busy[actor.run.remote(batches[0])] = (actor, batches)

    def _lost(self, batch: Batch, error: Exception) -> None:
        job = batch[0]
        self.losses[job.key] += 1
        if self.losses[job.key] >= MOST_LOSSES:
            raise ValueError(
                f"{job.setting.name} of {job.prompt!r} lost {MOST_LOSSES} workers, perhaps for want of memory: {error}"
            ) from error


class _Actor:
    def __init__(self, make_worker: MakeWorker) -> None:
        self._worker = make_worker()

    def run(self, batch: Batch) -> list[Row]:
        return self._worker(batch)
