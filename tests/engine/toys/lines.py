"""A model that is a straight line in the step index, its latents, and how far a run is from the truth."""

import torch
from torch import Tensor

STEPS = 40


def line(x: Tensor, t: float) -> Tensor:
    """Straight in the step index, in whole numbers: nothing is ever rounded."""
    return torch.arange(1.0, 9.0).expand(x.shape) * (STEPS - t) - 64


def latent(i: int, shape: tuple[int, ...] = (1, 4, 8)) -> Tensor:
    return torch.full(shape, float(STEPS - i))


def run(cache, shape: tuple[int, ...] = (1, 4, 8), steps: int = STEPS) -> list[Tensor]:
    return [cache(latent(i, shape), float(STEPS - i)) for i in range(steps)]


def errors(outputs: list[Tensor], model, shape: tuple[int, ...] = (1, 4, 8)) -> list[float]:
    truth = [model(latent(i, shape), float(STEPS - i)) for i in range(len(outputs))]
    return [(y - o).abs().mean().item() for y, o in zip(truth, outputs, strict=True)]
