"""What to tune, as data: the options, checked before anything is loaded."""

import argparse
import importlib.util
import inspect
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from navicache.cli.bench.conversion import find_scheduler_class
from navicache.cli.bench.model_check import check_model
from navicache.cli.bench.plan_setup import choose_prompts
from navicache.cli.bench.preflight import explain_missing_lpips
from navicache.cli.tune import DEFAULT_PROMPTS
from navicache.cli.tune.memory_check import check_memory
from navicache.cli.tune.target import read_target
from navicache.evaluation.bench.jobs import BASELINE_SETTING, BenchJob
from navicache.evaluation.bench.plan import PlanCondition, PlanModel, PlanPrompts
from navicache.evaluation.bench.prompts import read_prompt_file
from navicache.evaluation.tuning.search import LEAST_PROMPTS
from navicache.evaluation.tuning.targets import Target
from navicache.generation.checks import check_metrics, check_output
from navicache.generation.job import ModelSource
from navicache.generation.scheduler import SHIFTS


@dataclass(frozen=True)
class TuneJob:
    """One search."""

    source: ModelSource
    model: PlanModel
    condition: PlanCondition
    prompts: tuple[str, ...]
    target: Target
    seed: int
    out: Path

    @property
    def facts(self) -> dict[str, Any]:
        """What decides a run, as JSON has it."""
        known = {"model": asdict(self.model), "condition": asdict(self.condition), "prompts": self.prompts}
        return json.loads(json.dumps({**known, "seed": self.seed}, default=str))


def read_tune_job(options: argparse.Namespace) -> TuneJob:
    """The options as a checked job."""
    source = ModelSource(options.model, options.dtype, options.device, options.offload, _own_shift(options))
    target, prompts = read_target(options), read_prompts(options, source)
    call = source.fill_arguments(vars(options))
    about: dict[str, Any] = {"dtype": source.dtype, "device": source.device, "offload": source.offload}
    model = PlanModel(Path(source.model).name, source.model, **about, fps=source.fps, call=call, shift=source.shift)
    job = TuneJob(source, model, read_condition(options), prompts, target, options.seed, options.out)
    check_video_writer(options.videos)
    check_tune_job(job, options.ray_address is None)
    return job


def read_prompts(options: argparse.Namespace, source: ModelSource) -> tuple[str, ...]:
    """The prompts of the file, or captions of an embedded model's world."""
    if options.prompts is not None:
        found = read_prompt_file(options.prompts.parent.absolute(), options.prompts.name)
    elif source.member is None:
        raise ValueError(f"say what to generate: --prompts FILE with one prompt a line ({LEAST_PROMPTS} or more)")
    else:
        count = options.count or DEFAULT_PROMPTS
        found = choose_prompts(PlanPrompts("pocket-tuning", count=count), Path())
    chosen = tuple(found[: options.count])
    if len(chosen) < LEAST_PROMPTS:
        raise ValueError(
            f"{len(chosen)} prompts are too few: half of them search and half confirm, so give {LEAST_PROMPTS} or more"
        )
    return chosen


def read_condition(options: argparse.Namespace) -> PlanCondition:
    """The sampler, if another one is asked for; its shift goes with it."""
    if options.sampler is None:
        return PlanCondition("tuned")
    kind = find_scheduler_class(options.sampler)
    if options.shift is None:
        return PlanCondition("tuned", options.sampler)
    known = inspect.signature(kind).parameters
    name = next((name for name in SHIFTS if name in known), None)
    if name is None:
        raise ValueError(f"{options.sampler} has no flow shift: leave out --shift")
    flow = {"prediction_type": "flow_prediction", "use_flow_sigmas": True} if "use_flow_sigmas" in known else {}
    return PlanCondition("tuned", options.sampler, {**flow, name: options.shift})


def _own_shift(options: argparse.Namespace) -> float | None:
    """The shift of the model's own scheduler."""
    return options.shift if options.sampler is None else None


def check_video_writer(videos: int) -> None:
    """Refuse to keep videos where nothing can write them."""
    if videos and importlib.util.find_spec("av") is None:
        raise ValueError("videos are written with av, which is not installed: run `pip install av`, or give --videos 0")


def check_tune_job(job: TuneJob, has_model: bool) -> None:
    """Refuse what cannot work, before any weights are read."""
    check_output(job.out)
    check_metrics()
    if job.target.metric == "lpips" and (missing := explain_missing_lpips()):
        raise ValueError(f"a quality by LPIPS needs its weights: {missing}; or give --quality 'psnr>=32'")
    if not has_model:
        return
    found = check_model(job.model, build_plain_jobs(job))
    if found.problems:
        raise ValueError("; ".join(found.problems))
    check_memory(job.source)


def build_plain_jobs(job: TuneJob) -> Sequence[BenchJob]:
    """A run without a cache for each prompt."""
    return [
        BenchJob("baseline", job.model, job.condition, BASELINE_SETTING, prompt, number, job.seed, 0)
        for number, prompt in enumerate(job.prompts)
    ]
