"""Timed calls of a pipeline, with and without the cache."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from navicache.generation.job import GenerationJob
from navicache.generation.media import Media, open_image, split_samples
from navicache.generation.progress import StepCounts, synchronize_device, time_loop
from navicache.generation.sound import split_sounds
from navicache.records import Trace

WARM_UP_STEPS = 2
NEGATIVE_PROMPTS = ("negative_prompt", "negative_prompt_2")


@dataclass(frozen=True)
class TimedOutput:
    """The output of one call, with the seconds of the whole call and of its denoising loop.

    The whole call is prompt to frames: text encoder, loop and VAE. The loop is None where the pipeline shows none.
    """

    media: Media
    call_seconds: float
    loop_seconds: float | None

    def seconds(self) -> dict[str, float | None]:
        """Both times, by name."""
        return {"call": self.call_seconds, "loop": self.loop_seconds}


@dataclass(frozen=True)
class PromptRuns:
    """The runs of one prompt: with the cache, its trace, and without the cache if they are compared."""

    cached: TimedOutput
    trace: Trace
    summary: str
    plain: TimedOutput | None = None
    label: str = "cached"  # or "shadow"


def run_prompt(pipe: Any, job: GenerationJob, prompt: str) -> PromptRuns:
    """Generate a prompt with the cache and, to compare, without it, from the same noise."""
    with job.caching.enable(pipe) as cache:
        cached = call_timed(pipe, job, prompt, job.caching.label, counts=lambda: cache.progress)
        trace, summary = cache.trace, cache.summary(details=False)
    plain = call_timed(pipe, job, prompt, "no cache") if job.compare else None
    return PromptRuns(cached, trace, summary, plain, job.caching.label)


def warm_up(pipe: Any, job: GenerationJob) -> None:
    """A short call of the same shape with the cache, so that first-call costs are not measured."""
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
    """Time one call, with a progress bar unless `shown` is False."""
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
    """Time one call for several prompts; each output gets an equal share of the seconds."""
    arguments = {**job.arguments, **(changed or {}), **sample_arguments(seeds, job.arguments)}
    if "image" in arguments:
        arguments["image"] = open_image(arguments["image"])
    with time_loop(pipe, label, counts, shown) as clock:
        synchronize_device()
        start = time.perf_counter()
        output = pipe(output_type="np", return_dict=False, **arguments)
        synchronize_device()
        seconds = time.perf_counter() - start
    sounds = split_sounds(pipe, output)
    loop = None if clock.seconds is None else clock.seconds / len(seeds)
    return [TimedOutput(media, seconds / len(seeds), loop) for media in split_samples(output[0], sounds)]


def sample_arguments(seeds: Mapping[str, int], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Prompts, generators and negative prompts of a call; lists if there are several samples."""
    generators = [torch.Generator().manual_seed(seed) for seed in seeds.values()]
    if len(seeds) == 1:
        return {"prompt": next(iter(seeds)), "generator": generators[0]}
    negative = {name: value for name, value in arguments.items() if name in NEGATIVE_PROMPTS and isinstance(value, str)}
    lists = {name: [value] * len(seeds) for name, value in negative.items()}
    return {"prompt": list(seeds), "generator": generators, **lists}
