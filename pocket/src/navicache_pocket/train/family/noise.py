"""How latents are made noisy, and what the model must then predict: the forms that the family's samplers assume."""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import torch


class NoisyBatch(NamedTuple):
    """A training batch: noisy latents, their timesteps, and the target that the model must predict."""

    latents: torch.Tensor
    timestep: torch.Tensor
    target: torch.Tensor


class NoiseProcess(Protocol):
    """A way to make latents noisy."""

    def __call__(self, clean: torch.Tensor) -> NoisyBatch:
        """Add noise at a random timestep per row."""
        ...

    def add_noise(self, clean: torch.Tensor, noise: torch.Tensor, timestep: torch.Tensor) -> NoisyBatch:
        """Add this noise at these timesteps."""
        ...


@dataclass(frozen=True)
class FlowNoise:
    """Straight lines between latents and noise; timesteps run from 0 to 1000.

    Noise levels are logit-normal, then shifted towards noise as a flow sampler shifts its own.
    """

    shift: float
    logit_std: float = 1.2
    points_to_noise: bool = True  # velocity is noise - latents; else latents - noise

    def __call__(self, clean: torch.Tensor) -> NoisyBatch:
        """Add noise at a random level per row."""
        even = (self.logit_std * torch.randn(len(clean), device=clean.device)).sigmoid()
        level = self.shift * even / (1 + (self.shift - 1) * even)
        return self.add_noise(clean, torch.randn_like(clean), 1000 * level)

    def add_noise(self, clean: torch.Tensor, noise: torch.Tensor, timestep: torch.Tensor) -> NoisyBatch:
        """Add this noise at these timesteps.

        Example:
            >>> clean, noise = torch.zeros(1, 1), torch.ones(1, 1)
            >>> FlowNoise(shift=1.0).add_noise(clean, noise, torch.tensor([250.0])).latents.item()
            0.25
        """
        velocity = noise - clean if self.points_to_noise else clean - noise
        return NoisyBatch(torch.lerp(clean, noise, broadcast_rows(timestep / 1000, clean)), timestep, velocity)


@dataclass(frozen=True)
class VariancePreservingNoise:
    """Variance-preserving noise by a scheduler's `alphas_cumprod`; timesteps are its indices.

    With `predicts_velocity` the target is v = sqrt(a) noise - sqrt(1 - a) latents, else the noise.
    """

    alphas_cumprod: torch.Tensor = field(compare=False)
    predicts_velocity: bool

    def __call__(self, clean: torch.Tensor) -> NoisyBatch:
        """Add noise at a random timestep per row, uniformly drawn."""
        timestep = torch.randint(0, len(self.alphas_cumprod), (len(clean),), device=clean.device)
        return self.add_noise(clean, torch.randn_like(clean), timestep)

    def add_noise(self, clean: torch.Tensor, noise: torch.Tensor, timestep: torch.Tensor) -> NoisyBatch:
        """Add this noise at these timesteps."""
        share = broadcast_rows(self.alphas_cumprod.to(clean)[timestep], clean)
        target = share.sqrt() * noise - (1 - share).sqrt() * clean if self.predicts_velocity else noise
        return NoisyBatch(share.sqrt() * clean + (1 - share).sqrt() * noise, timestep, target)


def broadcast_rows(values: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Reshape one value per row so that it multiplies the rows of `like`."""
    return values.view(-1, *[1] * (like.ndim - 1))
