"""The readings that one call has queued on the device for its decision."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from navicache.engine.tensors.device_readings import DeviceReading
from navicache.engine.tensors.wiener_filter import apply_wiener_filter, resolve_noise_level
from navicache.engine.tracking.model_call import ModelCall
from navicache.policies import FilteredLatent, Signal

Forward = Callable[..., Any]


class CallReadings(NamedTuple):
    """The readings of one call; they are fetched together."""

    is_placement_certain: bool  # nothing is asked about where the call stands
    readings: Sequence[DeviceReading] = ()
    needs_transfer: bool = False  # alone nothing crosses without a reading; ranks that decide together may have to meet
    includes_pending: bool = False  # what was computed before crosses too
    is_latent_measured: bool = False  # the latent was measured, as that of a new step
    latent_change: DeviceReading | None = None  # read if the call may belong to the same step as the one before
    signal: Tensor | None = None  # what the gate watches in place of the latent

    @property
    def is_latent_unchanged(self) -> bool:
        """Whether the latent is that of the step before, to the bit; where it was not looked at, the time tells."""
        return not self.is_latent_measured or (self.latent_change is not None and not any(self.latent_change.values))


NO_READINGS = CallReadings(is_placement_certain=True)


def compute_latent_signal(signal: Signal, call: ModelCall, sigma: float | None) -> Tensor:
    """Compute a signal that needs no more than the latent of a call, at this noise level."""
    if isinstance(signal, FilteredLatent):
        return apply_wiener_filter(call.model_latent[0], resolve_noise_level(sigma, call.time), signal.exponent)
    raise ValueError(f"signal {signal!r} exists inside the blocks only: give the policy a site of Blocks(...)")
