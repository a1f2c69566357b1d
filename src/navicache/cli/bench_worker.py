"""The worker of a benchmark: a loaded pipeline, one batch at a time, by the clock."""

import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from navicache.cli.bench_files import References, Shelf
from navicache.cli.bench_frames import keep_waiting
from navicache.cli.bench_row import describe, figures
from navicache.cli.generation import WARM_UP_STEPS, Take, take, take_together
from navicache.cli.job import POCKET, Caching, Source
from navicache.cli.job import Job as Call
from navicache.cli.loading import load
from navicache.cli.memory import peak_memory, reset_peak
from navicache.cli.session import about, check
from navicache.engine import CannotCache
from navicache.evaluation import METRICS, measure
from navicache.evaluation.bench.jobs import Batch, Job
from navicache.evaluation.bench.plan import NO_CACHE, Model
from navicache.evaluation.bench.rows import REFUSED, Row
from navicache.models import read_calibration
from navicache.pocket import calibration_path
from navicache.pocket.members import WAN
from navicache.records import Trace, by_sample


@dataclass
class PipelineWorker:
    """Keeps the pipeline of the newest batch, warm; another model or condition takes its place."""

    out: Path
    shelf: Shelf
    metrics: Sequence[str] = METRICS
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
        began, job = time.perf_counter(), batch[0]
        with ExitStack() as stack:
            try:
                cache = stack.enter_context(self._cache(job))
            except (ValueError, CannotCache) as error:
                return [{**describe(job), "kind": REFUSED, "reason": str(error)} for job in batch]
            reset_peak(self._device)
            busy = time.process_time()
            made = take_together(self._pipe, as_call(job), seeds_of(batch), shown=False)
            busy = time.process_time() - busy
            trace = Trace() if cache is None else cache.trace
        shared = {"batch": len(batch), "peak_memory": peak_memory(self._device), **self._facts, **offline(job)}
        rows = self._finish(batch, made, by_sample(trace, len(batch)), shared)
        beside = time.perf_counter() - began - sum(each.call_seconds for each in made)  # all beside the call
        for row in rows:
            row["harness_seconds"] = beside / len(batch)
            if self._device.type == "cpu":
                row["seconds"]["cpu"] = busy / len(batch)  # which other processes do not lengthen
        return rows

    def _finish(self, batch: Batch, made: Sequence[Take], traces: Sequence[Trace], shared: Row) -> list[Row]:
        """A row each, with quality and files."""
        self._references.only({job.group for job in batch})
        rows = []
        with ThreadPoolExecutor(1) as beside:  # the encoder and the disk do not keep the metrics waiting
            files = [beside.submit(self.shelf.write, *each) for each in zip(batch, made, traces, strict=True)]
            for job, own, trace, written in zip(batch, made, traces, files, strict=True):
                row = {**describe(job), **figures(own, trace, job), **shared, **self._score(job, own)}
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

    @contextmanager
    def _cache(self, job: Job) -> Generator[Any, None, None]:
        if job.setting.policy == NO_CACHE:
            yield None
        else:
            with caching(job).enable(self._pipe) as cache:
                yield cache

    def _reference(self, job: Job) -> np.ndarray:
        """The frames of the baseline; made again, beside the clock, where another machine has them."""
        found = self._references.find(job)
        if found is None:
            plain = replace(as_call(job), arguments={**job.model.call, **job.condition.call})
            found = take(self._pipe, plain, job.prompt, "", shown=False).media.clip
            self._references.keep(job, found)
        return found


def scheduler_class(name: str) -> Any:
    """A scheduler of diffusers by its name."""
    import diffusers

    if not name.endswith("Scheduler") or name not in dir(diffusers):
        raise ValueError(f"diffusers has no scheduler {name!r}: give the name of a class, as UniPCMultistepScheduler")
    return getattr(diffusers, name)


def source(job: Job) -> Source:
    """Which pipeline the job wants."""
    return source_of(job.model)


def source_of(model: Model) -> Source:
    """Which pipeline a model of the plan is."""
    return Source(model.model, model.dtype, model.device, model.offload, model.shift)


def caching(job: Job) -> Caching:
    """What the job asks of the cache."""
    shadow = "full" if job.kind == "shadow" else None
    return Caching(job.setting.policy, job.setting.mode, job.setting.knobs, shadow, calibration(job))


def calibration(job: Job) -> Path | None:
    """Where the policy's calibration lies, if the setting has one."""
    named = job.setting.calibration
    if named == POCKET:
        member = source(job).member
        if member is None or member.name != WAN:
            raise ValueError(
                f"setting {job.setting.name!r} has wan's calibration, and {job.model.model} is another model: measure "
                "one with `navicache calibrate` and give its file"
            )
        return calibration_path(job.setting.policy)
    return Path(named) if named else None


def offline(job: Job) -> Row:
    """What was measured before the run, by its own file: nothing for a policy that has none."""
    path = calibration(job)
    return {} if path is None else {"calibration_seconds": read_calibration(path).seconds}


def as_call(job: Job) -> Call:
    """The job as `generate` has it."""
    return Call(source(job), (job.prompt,), job.arguments, Caching(), Path(), job.seed, job.model.fps)


def seeds_of(batch: Batch) -> dict[str, int]:
    """Prompts of a batch, each with its seed."""
    return {job.prompt: job.seed for job in batch}
