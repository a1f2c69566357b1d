"""Read the current step and the noise levels from a diffusers scheduler."""

import functools
import inspect
from typing import Any

from navicache.policies import NoiseLevels

NOISE_SCALE = "sigma_data"  # configured by schedulers of Karras et al. alone, whose noise is added to the picture
ROUNDING = 1e-3  # a shift worked out in float32 can leave the first level of a flow just above 1


def find_scheduler_name(pipeline: Any, denoiser: str) -> str:
    """The component that schedules a denoiser: combined pipelines have a `prior_scheduler` for their `prior_prior`."""
    own = f"{denoiser.partition('_')[0]}_scheduler"
    return own if getattr(pipeline, own, None) is not None else "scheduler"


def read_scheduler_position(scheduler: Any) -> tuple[int | None, int | None, Any]:
    """Return the steps taken in this run (None before the first), all its steps, and its timesteps tensor.

    Without a device sync. A scheduler that is not set up, or that has taken all its steps, is not in use: all three
    values are None.
    """
    timesteps = getattr(scheduler, "timesteps", None)
    if timesteps is None or getattr(scheduler, "num_inference_steps", None) is None:
        return None, None, None
    index, steps = getattr(scheduler, "step_index", None), timesteps.shape[0]
    begin = getattr(scheduler, "begin_index", None) or 0
    if index is None:
        return None, steps - begin, timesteps
    if index >= steps:
        return None, None, None
    return index - begin, steps - begin, timesteps


def count_run_steps(pipeline: Any | None, schedule_steps: int | None) -> int | None:
    """Count the steps of this run; `schedule_steps` counts the whole schedule.

    Pipelines that take a `strength` skip the first steps. A scheduler without `begin_index` (DDIM) does not know how
    many, but the pipeline does. Other pipelines are not asked: in a custom loop their value may be out of date.
    """
    run_steps = getattr(pipeline, "num_timesteps", None)
    if not run_steps or schedule_steps is None or not _takes_strength(type(pipeline)):
        return schedule_steps
    keeps_begin = getattr(type(getattr(pipeline, "scheduler", None)), "begin_index", None) is not None
    return schedule_steps if keeps_begin else min(run_steps, schedule_steps)


@functools.cache
def _takes_strength(pipeline_class: type) -> bool:
    return "strength" in inspect.signature(pipeline_class.__call__).parameters


def read_is_flow(scheduler: Any) -> bool | None:
    """Whether a scheduler goes straight from noise to picture; None if there is none.

    Example:
        >>> from diffusers import DDIMScheduler, FlowMatchEulerDiscreteScheduler
        >>> read_is_flow(FlowMatchEulerDiscreteScheduler()), read_is_flow(DDIMScheduler())
        (True, False)
    """
    if scheduler is None:
        return None
    config = getattr(scheduler, "config", {})
    if getattr(scheduler, "alphas_cumprod", None) is not None:
        return bool(config.get("use_flow_sigmas", False))
    return NOISE_SCALE not in config


def read_noise_levels(scheduler: Any) -> NoiseLevels | None:
    """The noise level before each step of this run, and 0 after the last; None if the scheduler does not tell.

    sigma / (alpha + sigma), which for a flow is sigma itself. One device sync, if the scheduler keeps them there.

    Example:
        >>> from diffusers import FlowMatchEulerDiscreteScheduler
        >>> scheduler = FlowMatchEulerDiscreteScheduler(shift=3.0)
        >>> scheduler.set_timesteps(sigmas=[1.0, 0.75, 0.5, 0.25])
        >>> [round(level, 2) for level in read_noise_levels(scheduler)]
        [1.0, 0.9, 0.75, 0.5, 0.0]
    """
    timesteps, sigmas = getattr(scheduler, "timesteps", None), getattr(scheduler, "sigmas", None)
    if timesteps is None or getattr(scheduler, "num_inference_steps", None) is None:
        return None
    steps, begin = timesteps.shape[0], getattr(scheduler, "begin_index", None) or 0
    alphas = getattr(scheduler, "alphas_cumprod", None)
    if sigmas is not None and len(sigmas) >= steps:
        levels = [float(sigma) for sigma in sigmas[:steps]]
        is_flow = max(levels) <= 1 + ROUNDING and read_is_flow(scheduler)
        levels = levels if is_flow else [sigma / (1 + sigma) for sigma in levels]
    elif alphas is not None:
        clean = alphas[timesteps.to(alphas.device).long().clamp(0, len(alphas) - 1)].sqrt()
        noise = (1 - clean**2).clamp(min=0).sqrt()
        levels = (noise / (clean + noise)).tolist()
    else:
        levels = (timesteps.float() / scheduler.config.get("num_train_timesteps", 1000)).tolist()
    if levels[0] < levels[-1]:  # some flows count what is clean
        levels = [1 - level for level in levels]
    if not all(0 <= level <= 1 + ROUNDING for level in levels):
        return None
    return (*(min(level, 1.0) for level in levels[begin:]), 0.0)
