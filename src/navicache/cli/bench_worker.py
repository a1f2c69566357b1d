"""The worker of a benchmark: a loaded pipeline, one job at a time, by the clock."""

import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from navicache.cli.bench_row import describe, figures
from navicache.cli.generation import WARM_UP_STEPS, Take, take
from navicache.cli.job import POCKET, Caching, Source
from navicache.cli.job import Job as Call
from navicache.cli.loading import load
from navicache.cli.memory import peak_memory, reset_peak
from navicache.cli.session import about, check
from navicache.engine import CannotCache
from navicache.evaluation import compare
from navicache.evaluation.bench.jobs import Job
from navicache.evaluation.bench.plan import NO_CACHE
from navicache.evaluation.bench.rows import REFUSED, Row
from navicache.pocket import calibration_path
from navicache.pocket.members import WAN
from navicache.records import Trace, atomic_file


@dataclass
class PipelineWorker:
    """Keeps the pipeline of the newest job, warm; another model or condition takes its place."""

    out: Path
    _pipe: Any = None
    _device: Any = None  # asked of the pipeline once: it looks at every module for it
    _model: Any = None
    _warm: Any = None
    _schedulers: dict[str, Any] = field(default_factory=dict)
    _facts: dict[str, Any] = field(default_factory=dict)

    def __call__(self, job: Job) -> Row:
        """Do the job, write its files, and say what came of it; files are whole before the row is known.

        A policy that cannot be put on the model leaves a row that says why: the other settings do not wait for that.
        """
        self._prepare(job)
        began = time.perf_counter()
        with ExitStack() as stack:
            try:
                cache = stack.enter_context(self._cache(job))
            except (ValueError, CannotCache) as error:
                return {**describe(job), "kind": REFUSED, "reason": str(error)}
            reset_peak(self._device)
            busy = time.process_time()
            made = take(self._pipe, as_call(job), job.prompt, "", shown=False)
            busy = time.process_time() - busy
            trace = Trace() if cache is None else cache.trace
        row = {**describe(job), **figures(made, trace, job), "peak_memory": peak_memory(self._device)}
        with ThreadPoolExecutor(1) as beside:  # the encoder and the disk do not keep the metrics waiting
            files = beside.submit(self._write, job, made, trace)
            row |= {**self._score(job, made), **files.result(), **self._facts}
        if self._device.type == "cpu":
            row["seconds"]["cpu"] = busy  # which other processes do not lengthen
        return {**row, "harness_seconds": time.perf_counter() - began - made.call_seconds}  # all beside the call

    def _score(self, job: Job, made: Take) -> Row:
        """Quality against the baseline; the baseline itself is kept, and a shadow run is not looked at."""
        began = time.perf_counter()
        quality = None
        if job.kind == "baseline":
            self._keep(job, made)
        elif job.kind == "cached":
            quality = compare(self._reference(job), made.media.clip).to_dict()
        return {"quality": quality, "scoring_seconds": time.perf_counter() - began}

    def _prepare(self, job: Job) -> None:
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
                take(self._pipe, as_call(job), job.prompt, "", steps, shown=False)
            self._warm = job.condition

    def _schedule(self, job: Job) -> None:
        name = job.condition.scheduler
        if not name:
            self._pipe.register_modules(scheduler=self._schedulers[""])
            return
        import diffusers

        kind = getattr(diffusers, name, None)
        if not name.endswith("Scheduler") or kind is None:
            raise ValueError(
                f"diffusers has no scheduler {name!r}: give the name of a class, as UniPCMultistepScheduler"
            )
        config = self._schedulers[""].config
        self._pipe.register_modules(scheduler=kind.from_config(config, **job.condition.scheduler_options))

    @contextmanager
    def _cache(self, job: Job) -> Generator[Any, None, None]:
        if job.setting.policy == NO_CACHE:
            yield None
        else:
            with caching(job).enable(self._pipe) as cache:
                yield cache

    def _keep(self, job: Job, made: Take) -> None:
        path = self.out / job.reference
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as file:
            np.save(file, made.media.clip)

    def _reference(self, job: Job) -> np.ndarray:
        """The frames of the baseline, to the bit; made again, beside the clock, where another machine has them."""
        path = self.out / job.reference
        if not path.exists():
            plain = Call(
                source(job), (job.prompt,), {**job.model.call, **job.condition.call}, Caching(), self.out, job.seed
            )
            self._keep(job, take(self._pipe, plain, job.prompt, "", shown=False))
        return np.load(path, allow_pickle=False)

    def _write(self, job: Job, made: Take, trace: Trace) -> dict[str, Any]:
        files: dict[str, str | None] = {"video": None, "trace": None}
        if job.kind != "shadow":
            files["video"] = f"{job.video}{made.media.suffix}"
            path = self.out / files["video"]
            path.parent.mkdir(parents=True, exist_ok=True)
            made.media.save(path, job.model.fps)
        if trace.runs:
            files["trace"] = str(job.trace)
            path = self.out / job.trace
            path.parent.mkdir(parents=True, exist_ok=True)
            trace.save(path)
        return files


def source(job: Job) -> Source:
    """Which pipeline the job wants."""
    return Source(job.model.model, job.model.dtype, job.model.device, job.model.offload)


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


def as_call(job: Job) -> Call:
    """The job as `generate` has it."""
    return Call(source(job), (job.prompt,), job.arguments, Caching(), Path(), job.seed, job.model.fps)
