"""Turn a job of a benchmark into the model source, cache options and job that `generate` uses."""

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from navicache.evaluation.bench.jobs import BenchJob, JobBatch
from navicache.evaluation.bench.plan import PlanModel
from navicache.evaluation.bench.rows import Row
from navicache.generation.job import POCKET, CacheSettings, ModelSource
from navicache.generation.job import GenerationJob as Call
from navicache.models import read_calibration
from navicache.pocket import calibration_path


def find_scheduler_class(name: str) -> Any:
    """Find a scheduler class of diffusers by its name, or any by its module and name.

    Example:
        >>> find_scheduler_class("diffusers.schedulers.DDIMScheduler").__name__
        'DDIMScheduler'
    """
    import diffusers

    module, _, own = name.rpartition(".")
    if module:
        return _import_scheduler_class(module, own)
    if not name.endswith("Scheduler") or name not in dir(diffusers):
        raise ValueError(f"diffusers has no scheduler {name!r}: give the name of a class, as UniPCMultistepScheduler")
    return getattr(diffusers, name)


def _import_scheduler_class(module: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"no scheduler {module}.{name}: {error}; a module of the folder needs `python -m`") from error


def model_source(model: PlanModel) -> ModelSource:
    """The model source of a plan's model."""
    return ModelSource(model.model, model.dtype, model.device, model.offload, model.shift)


def build_cache_settings(job: BenchJob, measured: Path | None = None) -> CacheSettings:
    """The cache options of a job; `measured` is a calibration that the benchmark made."""
    shadow = "full" if job.kind == "shadow" else None
    setting, calibration = job.setting, measured or find_calibration(job)
    if setting.settings or setting.quality:
        path = Path(setting.settings) if setting.settings else None
        return CacheSettings(shadow=shadow, settings=path, quality=setting.quality)
    return CacheSettings(setting.policy, setting.mode, setting.knobs, shadow, calibration)


def find_calibration(job: BenchJob) -> Path | None:
    """The file of the policy's calibration, if the setting has one."""
    named = job.setting.calibration
    if named != POCKET:
        return Path(named) if named else None
    member = model_source(job.model).member
    if member is None:
        raise ValueError(
            f"setting {job.setting.name!r} has an embedded model's calibration, and {job.model.model} is none: measure "
            "one with `navicache calibrate` and give its file"
        )
    return calibration_path(job.setting.policy, member.name)


def read_calibration_seconds(asked: CacheSettings) -> Row:
    """The seconds that the calibration took, as its file says; empty without a calibration."""
    path = asked.calibration
    return {} if path is None else {"calibration_seconds": read_calibration(path).seconds}


def to_generation_job(job: BenchJob) -> Call:
    """The job as `generate` runs it."""
    return Call(model_source(job.model), (job.prompt,), job.arguments, CacheSettings(), Path(), job.seed, job.model.fps)


def to_baseline_job(job: BenchJob) -> Call:
    """The job without the arguments that its setting changes: what it is compared with."""
    return replace(to_generation_job(job), arguments={**job.model.call, **job.condition.call})


def map_prompts_to_seeds(batch: JobBatch) -> dict[str, int]:
    """The seed of every prompt in a batch."""
    return {job.prompt: job.seed for job in batch}
