"""How noise and pictures are mixed, x = alpha x0 + sigma noise, and what of it a model predicts."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

TRAIN_STEPS = 1000
Levels = tuple[torch.Tensor, torch.Tensor]  # alpha and sigma


def list_linear_betas() -> torch.Tensor:
    """Betas of DDPM."""
    return torch.linspace(1e-4, 0.02, TRAIN_STEPS, dtype=torch.float64)


def list_scaled_linear_betas() -> torch.Tensor:
    """Betas of Stable Diffusion."""
    return torch.linspace(0.00085**0.5, 0.012**0.5, TRAIN_STEPS, dtype=torch.float64) ** 2


def list_cosine_betas() -> torch.Tensor:
    """Betas of improved DDPM."""
    time = torch.arange(TRAIN_STEPS + 1, dtype=torch.float64) / TRAIN_STEPS
    kept = ((time + 0.008) / 1.008 * math.pi / 2).cos() ** 2
    return (1 - kept[1:] / kept[:-1]).clamp(max=0.999)


@dataclass(frozen=True)
class NoiseKind:
    """What a model predicts of noised pictures. Without betas it is a flow, with time 0 to 1."""

    list_betas: Callable[[], torch.Tensor] | None = None
    predicts_velocity: bool = False
    clips: bool = False  # a sampler keeps the predicted picture within its range; cosine betas end in nothing but noise

    def draw_times(self, count: int, generator: torch.Generator) -> torch.Tensor:
        """Times to train on; those of a flow lean towards noise as if shifted."""
        if self.list_betas is not None:
            return torch.randint(0, TRAIN_STEPS, (count,), generator=generator)
        even = torch.rand(count, generator=generator)
        return 2 * even / (1 + even)

    def mix_at(self, time: torch.Tensor) -> Levels:
        """Alpha and sigma at these times, to be multiplied with pictures.

        Example:
            >>> alpha, sigma = NoiseKind(list_linear_betas).mix_at(torch.tensor([500]))
            >>> round((sigma / (alpha + sigma)).item(), 2)
            0.77
        """
        if self.list_betas is None:
            return (1 - time).view(-1, 1, 1, 1), time.view(-1, 1, 1, 1)
        kept = (1 - self.list_betas()).cumprod(0).to(time.device)[time].float().view(-1, 1, 1, 1)
        return kept.sqrt(), (1 - kept).sqrt()

    def build_target(self, clean: torch.Tensor, noise: torch.Tensor, levels: Levels) -> torch.Tensor:
        """What the model is to answer."""
        if self.list_betas is None:
            return noise - clean
        alpha, sigma = levels
        return alpha * noise - sigma * clean if self.predicts_velocity else noise
