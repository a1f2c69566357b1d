"""What a diffusers scheduler tells on the host about the step at hand."""

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
