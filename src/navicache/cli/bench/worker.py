"""The worker of a benchmark: a loaded pipeline that runs one batch at a time and measures it."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from navicache.cli.bench.calibration import measure_calibration
from navicache.cli.bench.conversion import (
    build_cache_settings,
    find_scheduler_class,
    map_prompts_to_seeds,
    model_source,
    read_calibration_seconds,
    to_baseline_job,
    to_generation_job,
)
from navicache.cli.bench.memory import peak_memory, reset_peak
from navicache.cli.bench.result_files import Baseline, BaselineFrames, ResultFiles
from navicache.cli.bench.row_facts import describe_job, describe_steps
from navicache.cli.bench.thresholds import choose_threshold
from navicache.cli.bench.waiting_frames import keep_for_lpips
from navicache.engine import CannotCache
from navicache.evaluation import METRICS, measure
from navicache.evaluation.bench.jobs import BenchJob, JobBatch
from navicache.evaluation.bench.plan import NO_CACHE
from navicache.evaluation.bench.rows import REFUSED, Row
from navicache.evaluation.bench.targets import MAX_PROBES
from navicache.generation.job import CacheSettings
from navicache.generation.job import GenerationJob as Call
from navicache.generation.loading import load_pipeline
from navicache.generation.session import check_loaded_pipeline, describe_environment
from navicache.generation.sound import pair_sounds
from navicache.generation.timed_calls import WARM_UP_STEPS, TimedOutput, call_timed, call_timed_batch
from navicache.records import Trace, split_by_sample


@dataclass
class PipelineWorker:
    """Keeps the current pipeline loaded and warm; another model or condition replaces it."""

    out: Path
    shelf: ResultFiles
    metrics: Sequence[str] = tuple(METRICS)
    beside: bool = False  # a plain run by the clock right before every cached one
    probes: int = MAX_PROBES  # runs in which a threshold is found for a target
    _pipe: Any = None
    _device: Any = None  # asked of the pipeline once: it looks at every module for it
    _model: Any = None
    _warm: Any = None
    _schedulers: dict[str, Any] = field(default_factory=dict)
    _facts: dict[str, Any] = field(default_factory=dict)
    _references: Any = None

    def __post_init__(self) -> None:
        """Start without a pipeline."""
        self._references = BaselineFrames(self.out)

    def __call__(self, batch: JobBatch) -> list[Row]:
        """Run the jobs in one call, write their files, and return their rows.

        A policy that cannot be put on the model leaves rows that say why: the other settings do not wait for that.
        """
        self._prepare(batch)
        job = batch[0]
        try:
            measured = measure_calibration(self._pipe, job, self.out)
            asked = build_cache_settings(choose_threshold(self._pipe, job, measured, self.out, self.probes), measured)
        except (ValueError, CannotCache) as error:
            return _refused_rows(batch, error)
        plain = self._timed(to_baseline_job(job), batch)[1] if self.beside and job.kind == "cached" else None
        began = time.perf_counter()
        with ExitStack() as stack:
            try:
                cache = None if job.setting.policy == NO_CACHE else stack.enter_context(asked.enable(self._pipe))
            except (ValueError, CannotCache) as error:
                return _refused_rows(batch, error)
            reset_peak(self._device)
            made, seconds = self._timed(to_generation_job(job), batch)
            trace = Trace() if cache is None else cache.trace
        own = {"batch": len(batch), "peak_memory": peak_memory(self._device)}
        shared = {**own, **self._facts, **read_calibration_seconds(asked)}
        rows = self._finish(batch, made, split_by_sample(trace, len(batch)), shared)
        beside = time.perf_counter() - began - sum(each.call_seconds for each in made)  # all beside the call
        for row in rows:
            row |= {"harness_seconds": beside / len(batch), "seconds": seconds, "plain_seconds": plain}
        return rows

    def _timed(self, call: Call, batch: JobBatch) -> tuple[list[TimedOutput], Row]:
        """Call the pipeline for the batch; returns outputs and seconds, on a CPU also CPU seconds."""
        busy = time.process_time()
        made = call_timed_batch(self._pipe, call, map_prompts_to_seeds(batch), shown=False)
        busy = (time.process_time() - busy) / len(batch)
        return made, {**made[0].seconds(), **({"cpu": busy} if self._device.type == "cpu" else {})}

    def _finish(self, batch: JobBatch, made: Sequence[TimedOutput], traces: Sequence[Trace], shared: Row) -> list[Row]:
        """Score the outputs, write the files, and return a row for each job."""
        self._references.keep_only({job.group for job in batch})
        rows = []
        with ThreadPoolExecutor(1) as beside:  # the encoder and the disk do not keep the metrics waiting
            files = [beside.submit(self.shelf.write, *each) for each in zip(batch, made, traces, strict=True)]
            for job, own, trace, written in zip(batch, made, traces, files, strict=True):
                row = {**describe_job(job), **describe_steps(trace, job), **shared, **self._score(job, own)}
                rows.append({**row, **written.result()})
        return rows

    def _score(self, job: BenchJob, made: TimedOutput) -> Row:
        """Quality against the baseline; frames of a baseline are kept, and a shadow run is not scored."""
        began = time.perf_counter()
        quality = None
        if job.kind == "baseline":
            self._references.keep(job, made.media)
        elif job.kind == "cached":
            quality = self._measure(self._reference(job), made)
            keep_for_lpips(self.out, job, made.media.clip, quality)
        return {"quality": quality, "scoring_seconds": time.perf_counter() - began}

    def _measure(self, plain: Baseline, made: TimedOutput) -> dict[str, Any]:
        sounds = pair_sounds(plain.sound, made.media.sound)
        return measure(plain.clip, made.media.clip, self.metrics, sounds=sounds)

    def _prepare(self, batch: JobBatch) -> None:
        job = batch[0]
        if self._model != job.model:
            self._pipe, self._schedulers = None, {}  # the old one first: two may not fit
            self._pipe, self._model, self._warm = self._load(job), job.model, None
            self._device = self._pipe._execution_device
            facts = describe_environment(self._pipe, to_generation_job(job))
            self._facts = {name: facts[name] for name in ("machine", "versions")}
            self._schedulers[""] = self._pipe.scheduler
        if self._warm != job.condition:
            self._schedule(job)
            check_loaded_pipeline(self._pipe, to_generation_job(job))
            steps = {"num_inference_steps": min(WARM_UP_STEPS, job.arguments.get("num_inference_steps", WARM_UP_STEPS))}
            # Its first times are paid here too.
            with CacheSettings("navicache", knobs={"threshold": 0.0}).enable(self._pipe):
                call_timed_batch(
                    self._pipe, to_generation_job(job), map_prompts_to_seeds(batch), changed=steps, shown=False
                )
            self._warm = job.condition

    def _load(self, job: BenchJob) -> Any:
        return load_pipeline(model_source(job.model))

    def _schedule(self, job: BenchJob) -> None:
        own, name, options = self._schedulers[""], job.condition.scheduler, job.condition.scheduler_options
        kind = find_scheduler_class(name) if name else type(own)
        self._pipe.register_modules(scheduler=kind.from_config(own.config, **options) if name or options else own)

    def _reference(self, job: BenchJob) -> Baseline:
        """What the baseline made; generated again, untimed, if another machine has them."""
        found = self._references.find(job)
        if found is None:
            made = call_timed(self._pipe, to_baseline_job(job), job.prompt, "", shown=False).media
            self._references.keep(job, made)
            return Baseline(made.clip, made.sound)
        return found


def _refused_rows(batch: JobBatch, error: Exception) -> list[Row]:
    return [{**describe_job(job), "kind": REFUSED, "reason": str(error)} for job in batch]
