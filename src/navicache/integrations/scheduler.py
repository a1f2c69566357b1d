"""Read the current step from a diffusers scheduler, without a device sync."""

import functools
import inspect
from typing import Any


def read_scheduler_position(scheduler: Any) -> tuple[int | None, int | None, Any]:
    """Return the steps taken in this run (None before the first), all its steps, and its timesteps tensor.

    A scheduler that is not set up, or that has taken all its steps, is not in use: all three values are None.
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
