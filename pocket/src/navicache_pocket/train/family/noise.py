"""How latents are made noisy, and what the model must then predict: the forms that the family's samplers assume."""

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import torch


class Noised(NamedTuple):
    """A batch for the model: what it sees, the timestep it is told, and what it must predict."""

    values: torch.Tensor
    time: torch.Tensor
    target: torch.Tensor


class Process(Protocol):
    """A way to make latents noisy."""

    def __call__(self, clean: torch.Tensor) -> Noised:
        """Each row at a timestep of its own."""
        ...

    def at(self, clean: torch.Tensor, noise: torch.Tensor, time: torch.Tensor) -> Noised:
        """With this noise, at these timesteps."""
        ...


@dataclass(frozen=True)
class Flow:
    """Straight lines between latents and noise; timesteps run from 0 to 1000.

    Noise levels are logit-normal with a spread, then shifted towards noise as a flow sampler shifts its own.
    """

    shift: float
    spread: float = 1.2
    towards_noise: bool = True  # the velocity is noise - latents; else the reverse

    def __call__(self, clean: torch.Tensor) -> Noised:
        """Each row at a level of its own."""
        even = (self.spread * torch.randn(len(clean), device=clean.device)).sigmoid()
        level = self.shift * even / (1 + (self.shift - 1) * even)
        return self.at(clean, torch.randn_like(clean), 1000 * level)

    def at(self, clean: torch.Tensor, noise: torch.Tensor, time: torch.Tensor) -> Noised:
        """With this noise, at these timesteps.

        Example:
            >>> Flow(shift=1.0).at(torch.zeros(1, 1), torch.ones(1, 1), torch.tensor([250.0])).values.item()
            0.25
        """
        velocity = noise - clean if self.towards_noise else clean - noise
        return Noised(torch.lerp(clean, noise, spread(time / 1000, clean)), time, velocity)


@dataclass(frozen=True)
class Preserving:
    """Variance-preserving noise by a scheduler's table of kept signal; timesteps are its whole numbers.

    `velocity` is v of progressive distillation, sqrt(a) noise - sqrt(1 - a) latents; else the noise is predicted.
    """

    kept: torch.Tensor = field(compare=False)  # `alphas_cumprod`
    velocity: bool

    def __call__(self, clean: torch.Tensor) -> Noised:
        """Each row at a timestep of its own, all equally likely."""
        time = torch.randint(0, len(self.kept), (len(clean),), device=clean.device)
        return self.at(clean, torch.randn_like(clean), time)

    def at(self, clean: torch.Tensor, noise: torch.Tensor, time: torch.Tensor) -> Noised:
        """With this noise, at these timesteps."""
        share = spread(self.kept.to(clean)[time], clean)
        target = share.sqrt() * noise - (1 - share).sqrt() * clean if self.velocity else noise
        return Noised(share.sqrt() * clean + (1 - share).sqrt() * noise, time, target)


def spread(values: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """One value a row, in the shape that multiplies the rows of another tensor."""
    return values.view(-1, *[1] * (like.ndim - 1))
