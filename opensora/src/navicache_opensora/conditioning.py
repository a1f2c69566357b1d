"""Frames that are given as references: kept clean until the noise falls to their edit ratio, then denoised."""

from typing import NamedTuple

import torch
from torch import Tensor


class ActiveFrames(NamedTuple):
    """Which frames of a batch are denoised; (batch, frames) tensors on the CPU, so that no step waits for the GPU."""

    edit_ratios: Tensor
    mask: Tensor  # True at frames that are denoised

    @staticmethod
    def at_start(edit_ratios: Tensor) -> "ActiveFrames":
        """Before the first step: only frames made from noise (edit ratio 1) are active."""
        return ActiveFrames(edit_ratios.float().cpu(), edit_ratios.cpu() == 1)

    def at_timestep(self, timestep: float, num_train_timesteps: int = 1000) -> "ActiveFrames":
        """At a timestep: frames are active if the noise has fallen to their edit ratio.

        Example:
            >>> ActiveFrames.at_start(torch.tensor([[1.0, 0.5, 0.0]])).at_timestep(400.0).mask.tolist()
            [[True, True, False]]
        """
        return self._replace(mask=num_train_timesteps * self.edit_ratios >= timestep)

    def find_activated(self, before: "ActiveFrames") -> Tensor:
        """The frames that have become active since `before`."""
        return self.mask & ~before.mask


def select_by_frame(mask: Tensor, where_true: Tensor, where_false: Tensor) -> Tensor:
    """Take latents (batch, channels, frames, height, width) from one of two tensors, frame by frame."""
    return torch.where(mask.to(where_true.device)[:, None, :, None, None], where_true, where_false)
