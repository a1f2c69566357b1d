"""Load a scheduler with another flow shift, before any weights are read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from navicache.generation.index_checks import list_components

SHIFTS = ("flow_shift", "shift")  # what diffusers' schedulers call it: solvers of several orders, and Euler's family
FOLDER = "scheduler"


def load_shifted_scheduler(place: Path | str, index: Mapping[str, Any], shift: float) -> Any:
    """Load the pipeline's scheduler alone, with another flow shift."""
    import diffusers

    name = list_components(index).get(FOLDER, (None, None))[1]
    kind = getattr(diffusers, name or "", None)
    if kind is None:
        own = f"its scheduler is {name}" if name else "it has no scheduler"
        raise ValueError(f"{index.get('_class_name')} takes no shift ({own}): leave it out")
    return set_flow_shift(kind.from_pretrained(str(place), subfolder=FOLDER), shift)


def set_flow_shift(scheduler: Any, shift: float) -> Any:
    """A copy of the scheduler with another flow shift; an error if it has none or does not use it.

    Example:
        >>> from diffusers import FlowMatchEulerDiscreteScheduler
        >>> set_flow_shift(FlowMatchEulerDiscreteScheduler(shift=3.0), 5.0).config.shift
        5.0
    """
    config, kind = scheduler.config, type(scheduler).__name__
    option = next((option for option in SHIFTS if option in config), None)
    if option is None:
        raise ValueError(f"{kind} has no flow shift: leave out shift")
    if not config.get("use_flow_sigmas", True):
        raise ValueError(f"{kind} does not read its shift here, for use_flow_sigmas is off: leave out shift")
    if config.get("use_dynamic_shifting", False):
        raise ValueError(f"{kind} takes its shift from the size of the picture (use_dynamic_shifting): leave out shift")
    return type(scheduler).from_config(config, **{option: shift})
