"""Calls of the pipeline by the clock: one with the cache, one without."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from navicache.generation.job import GenerationJob
from navicache.generation.media import Media, open_image, split_samples
from navicache.generation.progress import StepCounts, synchronize_device, time_loop
from navicache.records import Trace

WARM_UP_STEPS = 2
NEGATIVE_PROMPTS = ("negative_prompt", "negative_prompt_2")


@dataclass(frozen=True)
class TimedOutput:
    """One call: what it made, and the seconds of all of it and of its denoising loop alone.

    The whole call is prompt to frames: text encoder, loop and VAE. The loop is None where the pipeline shows none.
    """

    media: Media
    call_seconds: float
    loop_seconds: float | None

    def seconds(self) -> dict[str, float | None]:
        """Both, by name."""
        return {"call": self.call_seconds, "loop": self.loop_seconds}


@dataclass(frozen=True)
class PromptRuns:
    """The takes of one prompt: cached, its trace, and plain where a comparison was asked for."""

    cached: TimedOutput
    trace: Trace
    summary: str
    plain: TimedOutput | None = None
    label: str = "cached"  # or "shadow"


def run_prompt(pipe: Any, job: GenerationJob, prompt: str) -> PromptRuns:
    """With the cache, and without it where the two are compared; same prompt, same noise."""
    with job.caching.enable(pipe) as cache:
        cached = call_timed(pipe, job, prompt, job.caching.label, counts=lambda: cache.progress)
        trace, summary = cache.trace, cache.summary(details=False)
    plain = call_timed(pipe, job, prompt, "no cache") if job.compare else None
    return PromptRuns(cached, trace, summary, plain, job.caching.label)


def warm_up(pipe: Any, job: GenerationJob) -> None:
    """A short call of the same shape, so that neither side pays for first times; the cache is on, and refused here."""
    with job.caching.enable(pipe) as cache:
        steps = {"num_inference_steps": min(WARM_UP_STEPS, job.arguments.get("num_inference_steps", WARM_UP_STEPS))}
        call_timed(pipe, job, job.prompts[0], "warming up", steps, lambda: cache.progress)


def call_timed(
    pipe: Any,
    job: GenerationJob,
    prompt: str,
    label: str,
    changed: Mapping[str, Any] | None = None,
    counts: StepCounts | None = None,
    shown: bool = True,
) -> TimedOutput:
    """One call by the clock, behind its bar unless somebody else shows one."""
    return call_timed_batch(pipe, job, {prompt: job.seed}, label, changed, counts, shown)[0]


def call_timed_batch(
    pipe: Any,
    job: GenerationJob,
    seeds: Mapping[str, int],
    label: str = "",
    changed: Mapping[str, Any] | None = None,
    counts: StepCounts | None = None,
    shown: bool = True,
) -> list[TimedOutput]:
    """One call for several prompts, each with the noise it has by itself; each take has its share of the seconds."""
    arguments = {**job.arguments, **(changed or {}), **sample_arguments(seeds, job.arguments)}
    if "image" in arguments:
        arguments["image"] = open_image(arguments["image"])
    with time_loop(pipe, label, counts, shown) as clock:
        synchronize_device()
        start = time.perf_counter()
        output = pipe(output_type="np", return_dict=False, **arguments)[0]
        synchronize_device()
        seconds = time.perf_counter() - start
    loop = None if clock.seconds is None else clock.seconds / len(seeds)
    return [TimedOutput(media, seconds / len(seeds), loop) for media in split_samples(output)]


def sample_arguments(seeds: Mapping[str, int], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What a call is told about its samples; several are lists, and negative prompts must then be lists too."""
    generators = [torch.Generator().manual_seed(seed) for seed in seeds.values()]
    if len(seeds) == 1:
        return {"prompt": next(iter(seeds)), "generator": generators[0]}
    negative = {name: value for name, value in arguments.items() if name in NEGATIVE_PROMPTS and isinstance(value, str)}
    lists = {name: [value] * len(seeds) for name, value in negative.items()}
    return {"prompt": list(seeds), "generator": generators, **lists}
