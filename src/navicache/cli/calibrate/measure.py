"""Generate every prompt with every step computed, and fit what a policy needs to know of the model."""

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from navicache.generation.job import GenerationJob
from navicache.models import Calibration

DEFAULT_SIGNAL = "modulated"
PROBED = ("teacache", "magcache")  # fitted to what is seen inside the model; the others are fitted to its outputs
FitResult = tuple[dict[str, Any], dict[str, float], list[Any]]  # knobs, how well they fit, and what the plot shows


def probe_prompts(pipe: Any, job: GenerationJob, signal: Any, shown: bool) -> list[Any]:
    """Generate all prompts and return what the probe measured."""
    from navicache.integrations.pipeline_probe import probe_pipeline

    with probe_pipeline(pipe, signal) as probe:
        for _ in run_prompts(pipe, job, shown):
            pass
        return probe.measurements


def calibrate(
    method: str, signal: str, pipe: Any, job: GenerationJob, shown: bool = True
) -> tuple[Calibration, list[Any]]:
    """The calibration, and the measurements for its plot."""
    start = time.perf_counter()
    knobs, quality, seen = fit_policy(method, signal, pipe, job, shown)
    facts = describe_calibration_run(pipe, job, time.perf_counter() - start)
    return Calibration(method, facts.pop("transformer"), knobs, quality, facts), seen


def fit_policy(method: str, signal: str, pipe: Any, job: GenerationJob, shown: bool) -> FitResult:
    """The knobs of the policy, how well they fit, and the measurements."""
    from navicache.evaluation.fit_from_changes import fit_teacache_polynomial, measure_magcache_ratios

    if method not in PROBED:
        return fit_outputs(method, pipe, job, shown)
    sights = probe_prompts(pipe, job, signal, shown)
    if method == "teacache":
        coefficients, quality = fit_teacache_polynomial(sights)
        return {"coefficients": coefficients, "signal": signal}, quality, sights
    return (*measure_magcache_ratios(sights), sights)


def describe_calibration_run(pipe: Any, job: GenerationJob, seconds: float) -> dict[str, Any]:
    """Model, machine and seconds of the calibration."""
    from navicache.generation.session import describe_environment
    from navicache.integrations.denoiser_search import find_denoisers

    known = describe_environment(pipe, job)
    own = {"prompts": len(job.prompts), "scheduler": type(pipe.scheduler).__name__, "seconds": round(seconds, 1)}
    kept = {name: known[name] for name in ("model", "arguments", "seed", "machine", "versions")}
    return {"transformer": type(next(iter(find_denoisers(pipe).values()))).__name__, **own, **kept}


def fit_outputs(method: str, pipe: Any, job: GenerationJob, shown: bool) -> FitResult:
    """What `l2p` and `meancache` need, from the outputs of whole runs."""
    from navicache.evaluation.fit_from_outputs import (
        compute_gram_matrix,
        compute_meancache_errors,
        fit_l2p_weights,
        fit_meancache_edges,
    )

    if method == "l2p":
        return fit_l2p_weights(_reduce_outputs(pipe, job, shown, compute_gram_matrix))
    found = _reduce_outputs(
        pipe, job, shown, lambda course: compute_meancache_errors(course, read_flow_levels(pipe.scheduler, len(course)))
    )
    return fit_meancache_edges(found, read_flow_levels(pipe.scheduler, found[0].shape[1]))


def _reduce_outputs(pipe: Any, job: GenerationJob, shown: bool, reduce: Callable[[Any], Any]) -> list[Any]:
    """Reduce the outputs of every prompt and guidance branch to the numbers that are needed."""
    from navicache.integrations.output_recording import record_outputs

    with record_outputs(pipe) as probe:
        return [reduce(course) for _ in run_prompts(pipe, job, shown) for course in probe.outputs_by_branch.values()]


def run_prompts(pipe: Any, job: GenerationJob, shown: bool) -> Iterator[str]:
    """Generate the prompts one after another, each from its own seed."""
    import torch

    from navicache.generation.progress import time_loop

    for number, prompt in enumerate(job.prompts):
        generator = torch.Generator().manual_seed(job.seed + number)
        with time_loop(pipe, f"{number + 1} of {len(job.prompts)}", shown=shown):
            pipe(prompt=prompt, output_type="latent", return_dict=False, generator=generator, **job.arguments)
        yield prompt


def read_flow_levels(scheduler: Any, steps: int) -> tuple[float, ...]:
    """The noise levels of a flow-matching run, including the last one."""
    levels = tuple(float(level) for level in getattr(scheduler, "sigmas", ()))
    falls = all(early > late for early, late in pairwise(levels))
    if len(levels) != steps + 1 or not falls or levels[0] > 1:
        raise ValueError(
            f"meancache is for flow matching: {type(scheduler).__name__} has no noise levels that fall from 1 at most, "
            f"one for each of {steps} steps and one more"
        )
    return levels
