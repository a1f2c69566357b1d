"""Generate every prompt with every step computed, and fit what a policy needs to know of the model."""

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from navicache.generation.job import Job
from navicache.models import Calibration

USUAL_SIGNAL = "modulated"
SIGHTED = ("teacache", "magcache")  # fitted to what is seen inside the model; the others are fitted to its outputs
Found = tuple[dict[str, Any], dict[str, float], list[Any]]  # knobs, how well they fit, and what the plot shows


def look(pipe: Any, job: Job, signal: Any, shown: bool) -> list[Any]:
    """What a probe sees in all prompts."""
    from navicache.integrations.pipeline_probe import probe_pipeline

    with probe_pipeline(pipe, signal) as probe:
        for _ in every_prompt(pipe, job, shown):
            pass
        return probe.sights


def calibrated(method: str, signal: str, pipe: Any, job: Job, shown: bool = True) -> tuple[Calibration, list[Any]]:
    """The calibration, and what was seen for its plot."""
    start = time.perf_counter()
    knobs, quality, seen = measure(method, signal, pipe, job, shown)
    facts = about(pipe, job, time.perf_counter() - start)
    return Calibration(method, facts.pop("transformer"), knobs, quality, facts), seen


def measure(method: str, signal: str, pipe: Any, job: Job, shown: bool) -> Found:
    """What was seen as knobs of the policy, how well they fit, and what was seen."""
    from navicache.evaluation.fit_from_changes import fit_teacache_polynomial, measure_magcache_ratios

    if method not in SIGHTED:
        return measure_outputs(method, pipe, job, shown)
    sights = look(pipe, job, signal, shown)
    if method == "teacache":
        coefficients, quality = fit_teacache_polynomial(sights)
        return {"coefficients": coefficients, "signal": signal}, quality, sights
    return (*measure_magcache_ratios(sights), sights)


def about(pipe: Any, job: Job, seconds: float) -> dict[str, Any]:
    """What was measured on, and how long it took."""
    from navicache.generation.session import about
    from navicache.integrations.diffusers import find_denoisers

    known = about(pipe, job)
    own = {"prompts": len(job.prompts), "scheduler": type(pipe.scheduler).__name__, "seconds": round(seconds, 1)}
    kept = {name: known[name] for name in ("model", "arguments", "seed", "machine", "versions")}
    return {"transformer": type(next(iter(find_denoisers(pipe).values()))).__name__, **own, **kept}


def measure_outputs(method: str, pipe: Any, job: Job, shown: bool) -> Found:
    """What `l2p` and `meancache` need, from the outputs of whole runs."""
    from navicache.evaluation.fit_from_outputs import (
        compute_gram_matrix,
        compute_meancache_errors,
        fit_l2p_weights,
        fit_meancache_edges,
    )

    if method == "l2p":
        return fit_l2p_weights(_each(pipe, job, shown, lambda course: compute_gram_matrix(course)))
    found = _each(
        pipe, job, shown, lambda course: compute_meancache_errors(course, flow_levels(pipe.scheduler, len(course)))
    )
    return fit_meancache_edges(found, flow_levels(pipe.scheduler, found[0].shape[1]))


def _each(pipe: Any, job: Job, shown: bool, reduce: Callable[[Any], Any]) -> list[Any]:
    """What is to be known of every prompt's course, guidance branch by guidance branch."""
    from navicache.integrations.output_recording import record_outputs

    with record_outputs(pipe) as probe:
        return [reduce(course) for _ in every_prompt(pipe, job, shown) for course in probe.outputs_by_branch.values()]


def every_prompt(pipe: Any, job: Job, shown: bool) -> Iterator[str]:
    """The prompts one after another, each when its run is over, and from noise of its own."""
    import torch

    from navicache.generation.progress import watched

    for number, prompt in enumerate(job.prompts):
        generator = torch.Generator().manual_seed(job.seed + number)
        with watched(pipe, f"{number + 1} of {len(job.prompts)}", shown=shown):
            pipe(prompt=prompt, output_type="latent", return_dict=False, generator=generator, **job.arguments)
        yield prompt


def flow_levels(scheduler: Any, steps: int) -> tuple[float, ...]:
    """The noise levels of a flow's run, the last one included, as its scheduler has them."""
    levels = tuple(float(level) for level in getattr(scheduler, "sigmas", ()))
    falls = all(early > late for early, late in pairwise(levels))
    if len(levels) != steps + 1 or not falls or levels[0] > 1:
        raise ValueError(
            f"meancache is for flow matching: {type(scheduler).__name__} has no noise levels that fall from 1 at most, "
            f"one for each of {steps} steps and one more"
        )
    return levels
