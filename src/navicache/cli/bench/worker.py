"""The worker of a benchmark: a loaded pipeline, one batch at a time, by the clock."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from navicache.cli.bench.calibration import measured
from navicache.cli.bench.files import References, Shelf
from navicache.cli.bench.frames import keep_waiting
from navicache.cli.bench.job import as_call, as_plain_call, caching, offline, scheduler_class, seeds_of, source
from navicache.cli.bench.memory import peak_memory, reset_peak
from navicache.cli.bench.row import describe, figures
from navicache.engine import CannotCache
from navicache.evaluation import METRICS, measure
from navicache.evaluation.bench.jobs import Batch, Job
from navicache.evaluation.bench.plan import NO_CACHE
from navicache.evaluation.bench.rows import REFUSED, Row
from navicache.generation.calls import WARM_UP_STEPS, Take, take, take_together
from navicache.generation.job import Caching
from navicache.generation.job import Job as Call
from navicache.generation.loading import load
from navicache.generation.session import about, check
from navicache.records import Trace, split_by_sample


@dataclass
class PipelineWorker:
    """Keeps the pipeline of the newest batch, warm; another model or condition takes its place."""

    out: Path
    shelf: Shelf
    metrics: Sequence[str] = tuple(METRICS)
    beside: bool = False  # a plain run by the clock right before every cached one
    _pipe: Any = None
    _device: Any = None  # asked of the pipeline once: it looks at every module for it
    _model: Any = None
    _warm: Any = None
    _schedulers: dict[str, Any] = field(default_factory=dict)
    _facts: dict[str, Any] = field(default_factory=dict)
    _references: Any = None

    def __post_init__(self) -> None:
        """Nothing is loaded yet."""
        self._references = References(self.out)

    def __call__(self, batch: Batch) -> list[Row]:
        """Do the jobs in one call, write their files, and say what came of each; files are whole before rows are known.

        A policy that cannot be put on the model leaves rows that say why: the other settings do not wait for that.
        """
        self._prepare(batch)
        job = batch[0]
        try:
            asked = caching(job, measured(self._pipe, job, self.out))
        except ValueError as error:
            return _refused(batch, error)
        plain = self._timed(as_plain_call(job), batch)[1] if self.beside and job.kind == "cached" else None
        began = time.perf_counter()
        with ExitStack() as stack:
            try:
                cache = None if job.setting.policy == NO_CACHE else stack.enter_context(asked.enable(self._pipe))
            except (ValueError, CannotCache) as error:
                return _refused(batch, error)
            reset_peak(self._device)
            made, seconds = self._timed(as_call(job), batch)
            trace = Trace() if cache is None else cache.trace
        shared = {"batch": len(batch), "peak_memory": peak_memory(self._device), **self._facts, **offline(asked)}
        rows = self._finish(batch, made, split_by_sample(trace, len(batch)), shared)
        beside = time.perf_counter() - began - sum(each.call_seconds for each in made)  # all beside the call
        for row in rows:
            row |= {"harness_seconds": beside / len(batch), "seconds": seconds, "plain_seconds": plain}
        return rows

    def _timed(self, call: Call, batch: Batch) -> tuple[list[Take], Row]:
        """A call for the batch, and its seconds; on a CPU also those that other processes do not lengthen."""
        busy = time.process_time()
        made = take_together(self._pipe, call, seeds_of(batch), shown=False)
        busy = (time.process_time() - busy) / len(batch)
        return made, {**made[0].seconds(), **({"cpu": busy} if self._device.type == "cpu" else {})}

    def _finish(self, batch: Batch, made: Sequence[Take], traces: Sequence[Trace], shared: Row) -> list[Row]:
        """A row each, with quality and files."""
        self._references.only({job.group for job in batch})
        rows = []
        with ThreadPoolExecutor(1) as beside:  # the encoder and the disk do not keep the metrics waiting
            files = [beside.submit(self.shelf.write, *each) for each in zip(batch, made, traces, strict=True)]
            for job, own, trace, written in zip(batch, made, traces, files, strict=True):
                row = {**describe(job), **figures(trace, job), **shared, **self._score(job, own)}
                rows.append({**row, **written.result()})
        return rows

    def _score(self, job: Job, made: Take) -> Row:
        """Quality against the baseline; the baseline itself is kept, and a shadow run is not looked at."""
        began = time.perf_counter()
        quality = None
        if job.kind == "baseline":
            self._references.keep(job, made.media.clip)
        elif job.kind == "cached":
            quality = measure(self._reference(job), made.media.clip, self.metrics)
            keep_waiting(self.out, job, made.media.clip, quality)
        return {"quality": quality, "scoring_seconds": time.perf_counter() - began}

    def _prepare(self, batch: Batch) -> None:
        job = batch[0]
        if self._model != job.model:
            self._pipe, self._schedulers = None, {}  # the old one first: two may not fit
            self._pipe, self._model, self._warm = load(source(job)), job.model, None
            self._device = self._pipe._execution_device
            facts = about(self._pipe, as_call(job))
            self._facts = {name: facts[name] for name in ("machine", "versions")}
            self._schedulers[""] = self._pipe.scheduler
        if self._warm != job.condition:
            self._schedule(job)
            check(self._pipe, as_call(job))
            steps = {"num_inference_steps": min(WARM_UP_STEPS, job.arguments.get("num_inference_steps", WARM_UP_STEPS))}
            with Caching("navicache", knobs={"threshold": 0.0}).enable(self._pipe):  # its first times are paid here too
                take_together(self._pipe, as_call(job), seeds_of(batch), changed=steps, shown=False)
            self._warm = job.condition

    def _schedule(self, job: Job) -> None:
        name = job.condition.scheduler
        if not name:
            self._pipe.register_modules(scheduler=self._schedulers[""])
            return
        config, options = self._schedulers[""].config, job.condition.scheduler_options
        self._pipe.register_modules(scheduler=scheduler_class(name).from_config(config, **options))

    def _reference(self, job: Job) -> np.ndarray:
        """The frames of the baseline; made again, beside the clock, where another machine has them."""
        found = self._references.find(job)
        if found is None:
            found = take(self._pipe, as_plain_call(job), job.prompt, "", shown=False).media.clip
            self._references.keep(job, found)
        return found


def _refused(batch: Batch, error: Exception) -> list[Row]:
    return [{**describe(job), "kind": REFUSED, "reason": str(error)} for job in batch]
