"""What ends the reuse in a run that has begun: ranks that are apart, or frames at different noise levels."""

import torch
from torch import Tensor

from navicache.engine.tensors.device_readings import DeviceReading

RANKS_APART = "ranks apart", "ranks of the group were not at the same step: every step was computed from there on"
FRAMES_APART = (
    "frames apart",
    "the frames of one latent are at different noise levels (diffusion forcing), so there is no step that all of them "
    "share: every step was computed from there on",
)


def queue_level_check(time: Tensor | float | None) -> DeviceReading | None:
    """Count the times strictly between the smallest and the largest; None if frames have no times of their own.

    Two levels are no diffusion forcing: frames that are given stay at theirs, and all others move together.
    """
    if not isinstance(time, Tensor) or time.ndim < 2 or time.shape[-1] < 3:
        return None
    smallest, largest = torch.aminmax(time)
    return DeviceReading(((time > smallest) & (time < largest)).sum().reshape(1))


def find_bypass_cause(are_ranks_together: bool, levels: DeviceReading | None) -> tuple[str, str] | None:
    """The reason in a word and in a sentence, if every further step is to be computed; the levels are fetched."""
    if not are_ranks_together:
        return RANKS_APART
    return FRAMES_APART if levels is not None and levels.values and levels.values[0] > 0 else None
