"""A job of a benchmark as the other commands have it: its model, its cache and its call."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from navicache.evaluation.bench.jobs import Batch, Job
from navicache.evaluation.bench.plan import Model
from navicache.evaluation.bench.rows import Row
from navicache.generation.job import POCKET, Caching, Source
from navicache.generation.job import Job as Call
from navicache.models import read_calibration
from navicache.pocket import calibration_path


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


def caching(job: Job, measured: Path | None = None) -> Caching:
    """What the job asks of the cache; `measured` is the calibration that the benchmark made itself."""
    shadow = "full" if job.kind == "shadow" else None
    return Caching(job.setting.policy, job.setting.mode, job.setting.knobs, shadow, measured or calibration(job))


def calibration(job: Job) -> Path | None:
    """Where the policy's calibration lies, if the setting has one."""
    named = job.setting.calibration
    if named != POCKET:
        return Path(named) if named else None
    member = source(job).member
    if member is None:
        raise ValueError(
            f"setting {job.setting.name!r} has an embedded model's calibration, and {job.model.model} is none: measure "
            "one with `navicache calibrate` and give its file"
        )
    return calibration_path(job.setting.policy, member.name)


def offline(asked: Caching) -> Row:
    """What was measured before the run, by its own file: nothing for a policy that has none."""
    path = asked.calibration
    return {} if path is None else {"calibration_seconds": read_calibration(path).seconds}


def as_call(job: Job) -> Call:
    """The job as `generate` has it."""
    return Call(source(job), (job.prompt,), job.arguments, Caching(), Path(), job.seed, job.model.fps)


def as_plain_call(job: Job) -> Call:
    """What it is compared with: the same without what its setting changes."""
    return replace(as_call(job), arguments={**job.model.call, **job.condition.call})


def seeds_of(batch: Batch) -> dict[str, int]:
    """Prompts of a batch, each with its seed."""
    return {job.prompt: job.seed for job in batch}
