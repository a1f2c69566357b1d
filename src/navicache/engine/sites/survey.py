"""What one call has queued on the device, to be known before it is decided."""

from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

from navicache.engine.tensors.fetch import Reading


class Survey(NamedTuple):
    """The readings of a call, which cross together."""

    certain: bool  # nothing is asked about where the call stands
    readings: Sequence[Reading] = ()
    crosses: bool = False  # alone nothing crosses without a reading; ranks that decide together may have to meet
    learns: bool = False  # what was computed before crosses too
    looked: bool = False  # the latent was measured, as that of a new step
    moved: Reading | None = None  # how far the latent has moved: asked where the step may be the same once more
    signal: Tensor | None = None  # what the gate watches in place of the latent

    @property
    def unchanged(self) -> bool:
        """Whether the latent is that of the step before, to the bit; where it was not looked at, the time tells."""
        return not self.looked or (self.moved is not None and not any(self.moved.values))


NOTHING_ASKED = Survey(certain=True)
