"""The calibrations that are made of whole courses of outputs: of `l2p` and of `meancache`."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from navicache.cli.job import Job

Found = tuple[dict[str, Any], dict[str, float], list[Any]]  # knobs, how well they fit, and what the plot shows


def measure(method: str, pipe: Any, job: Job, shown: bool = True) -> Found:
    """Generate every prompt with every step computed; of a run only numbers are kept."""
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

    from navicache.cli.progress import watched

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
