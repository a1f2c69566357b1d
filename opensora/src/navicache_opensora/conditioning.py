"""Frames that are given: kept clean until the noise has fallen to their edit ratio, then denoised like the rest."""

from typing import NamedTuple

import torch
from torch import Tensor


class Frames(NamedTuple):
    """Where the frames of a batch stand; (batch, frames) tensors, kept on the host so that no step waits for them."""

    ratios: Tensor
    active: Tensor  # True: being denoised

    @staticmethod
    def start(ratios: Tensor) -> "Frames":
        """Frames made from noise are active from the start."""
        return Frames(ratios.float().cpu(), ratios.cpu() == 1)

    def at(self, timestep: float, total: int = 1000) -> "Frames":
        """The frames at a timestep: active where the noise has fallen to their ratio.

        Example:
            >>> Frames.start(torch.tensor([[1.0, 0.5, 0.0]])).at(400.0).active.tolist()
            [[True, True, False]]
        """
        return self._replace(active=total * self.ratios >= timestep)

    def woken_since(self, before: "Frames") -> Tensor:
        """The frames that became active."""
        return self.active & ~before.active


def choose(frames: Tensor, yes: Tensor, no: Tensor) -> Tensor:
    """Latents (batch, channels, frames, height, width) from either, frame by frame."""
    return torch.where(frames.to(yes.device)[:, None, :, None, None], yes, no)
