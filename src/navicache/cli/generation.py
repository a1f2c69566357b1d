"""Calls of the pipeline by the clock: one with the cache, one without."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from navicache.cli.job import Job
from navicache.cli.media import Media, read_output
from navicache.cli.progress import Counts, settle, watched
from navicache.records import Trace

WARM_UP_STEPS = 2


@dataclass(frozen=True)
class Take:
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
class Pair:
    """The takes of one prompt: cached, its trace, and plain where a comparison was asked for."""

    cached: Take
    trace: Trace
    summary: str
    plain: Take | None = None
    label: str = "cached"  # or "shadow"


def generate(pipe: Any, job: Job, prompt: str) -> Pair:
    """With the cache, and without it where the two are compared; same prompt, same noise."""
    with job.caching.enable(pipe) as cache:
        cached = take(pipe, job, prompt, job.caching.label, counts=lambda: cache.progress)
        trace, summary = cache.trace, cache.summary(details=False)
    plain = take(pipe, job, prompt, "no cache") if job.compare else None
    return Pair(cached, trace, summary, plain, job.caching.label)


def warm_up(pipe: Any, job: Job) -> None:
    """A short call of the same shape, so that neither side pays for first times; the cache is on, and refused here."""
    with job.caching.enable(pipe) as cache:
        steps = {"num_inference_steps": min(WARM_UP_STEPS, job.arguments.get("num_inference_steps", WARM_UP_STEPS))}
        take(pipe, job, job.prompts[0], "warming up", steps, lambda: cache.progress)


def take(
    pipe: Any,
    job: Job,
    prompt: str,
    label: str,
    changed: Mapping[str, Any] | None = None,
    counts: Counts | None = None,
    shown: bool = True,
) -> Take:
    """One call by the clock, behind its bar unless somebody else shows one."""
    arguments = {**job.arguments, **(changed or {}), "generator": torch.Generator().manual_seed(job.seed)}
    with watched(pipe, label, counts, shown) as clock:
        settle()
        start = time.perf_counter()
        output = pipe(prompt=prompt, output_type="np", return_dict=False, **arguments)[0]
        settle()
        seconds = time.perf_counter() - start
    return Take(read_output(output), seconds, clock.seconds)
