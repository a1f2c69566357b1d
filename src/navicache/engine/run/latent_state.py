"""The latent of this step, and where it lies in what the model is given and returns."""

from dataclasses import dataclass

from navicache.engine.tensors.rows import Rows, clone_rows, share_memory
from navicache.engine.tensors.shared_channels import SharedChannels
from navicache.engine.tracking.model_call import ModelCall


@dataclass
class LatentState:
    """The latent last seen."""

    caller_latent: Rows = ()  # as the caller holds it
    latent: Rows = ()  # its latent part, copied: nobody else can write to it
    element_count: int = 0  # of the latent part, over all samples
    shared_channels: SharedChannels = SharedChannels()  # before the first output: all channels of input and output
    shapes_match: bool = True  # False: they have no part of the same form
    are_channels_known: bool = False  # there has been an output

    def take_latent_channels(self, rows: Rows) -> Rows:
        """The latent part of an input."""
        return rows if self.shared_channels.width is None else self.shared_channels.take_latent_channels(rows)

    def set_latent(self, call: ModelCall, latent: Rows) -> None:
        """Take over the latent of a new step, and copy what of it is measured."""
        self.caller_latent, self.latent = call.latent, clone_rows(latent)
        self.element_count = self.element_count or sum(chunk.numel() for chunk in self.latent)

    def copy_call_latent(self, call: ModelCall) -> Rows:
        """Return a latent that can be kept: the copy of this step if the call has the same tensor, else a new copy."""
        if share_memory(self.caller_latent, call.latent):
            return self.latent
        return clone_rows(self.take_latent_channels(call.latent))

    def set_shared_channels(self, channels: SharedChannels | None, latent: Rows) -> Rows:
        """Take in how the latent lies in input and output, None where they have nothing in common.

        Returns the latent part of `latent`.
        """
        shared, self.are_channels_known = latent is self.latent, True
        self.shared_channels, self.shapes_match = channels or SharedChannels(), channels is not None
        self.latent = self.shared_channels.take_latent_channels(self.latent)
        self.element_count = sum(chunk.numel() for chunk in self.latent)
        return self.latent if shared else self.shared_channels.take_latent_channels(latent)

    def refer_to_latent(self, latent: Rows) -> None:
        """Take over the latent of a call without a copy: it is used within that call."""
        self.latent = latent

    def release_tensors(self) -> None:
        """Let the tensors go."""
        self.caller_latent = self.latent = ()
