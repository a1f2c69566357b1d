"""What a diffusers scheduler tells on the host about the step at hand."""

import functools
import inspect
from typing import Any


def scheduler_facts(scheduler: Any) -> tuple[int | None, int | None, Any]:
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


def run_length(pipeline: Any | None, total: int | None) -> int | None:
    """Steps of this run, where `total` counts all of the schedule.

    Pipelines that take a `strength` leave out the first steps. A scheduler that keeps no `begin_index` (DDIM) does not
    know, but the pipeline does. No other pipeline is asked: in a loop of the user's own its answer would be an old one.
    """
    told = getattr(pipeline, "num_timesteps", None)
    if not told or total is None or not _leaves_out_steps(type(pipeline)):
        return total
    keeps_begin = getattr(type(getattr(pipeline, "scheduler", None)), "begin_index", None) is not None
    return total if keeps_begin else min(told, total)


@functools.cache
def _leaves_out_steps(kind: type) -> bool:
    return "strength" in inspect.signature(kind.__call__).parameters
