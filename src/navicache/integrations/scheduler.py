"""What a diffusers scheduler tells on the host about the step at hand."""

import functools
import inspect
from typing import Any


def read_scheduler_position(scheduler: Any) -> tuple[int | None, int | None, Any]:
    """Steps taken in this run (None before the first), steps in all, and the timesteps, new for every run.

    A scheduler that has not been set up, or has taken all its steps, tells nothing: another one is at work.
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
    """Steps of this run, where `total` counts all of the schedule.

    Pipelines that take a `strength` leave out the first steps. A scheduler that keeps no `begin_index` (DDIM) does not
    know, but the pipeline does. No other pipeline is asked: in a loop of the user's own its answer would be an old one.
    """
    told = getattr(pipeline, "num_timesteps", None)
    if not told or schedule_steps is None or not _takes_strength(type(pipeline)):
        return schedule_steps
    keeps_begin = getattr(type(getattr(pipeline, "scheduler", None)), "begin_index", None) is not None
    return schedule_steps if keeps_begin else min(told, schedule_steps)


@functools.cache
def _takes_strength(pipeline_class: type) -> bool:
    return "strength" in inspect.signature(pipeline_class.__call__).parameters
