"""Modules of ours with the names and the arguments of other programs' models; the real ones are held against them.

Each answers with a tenth of its latent and ten times its conditioning, so a prediction from another branch is far off.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class Core(nn.Module):
    """What every stand-in computes; it runs as often as the model really does."""

    def forward(self, latent: Tensor, time: Tensor, condition: Tensor) -> Tensor:
        constant = 10 * condition.flatten(1).mean(1)
        return (0.1 + time.flatten()[0].sin() / 50) * latent + constant.view(-1, *[1] * (latent.ndim - 1))


class StandIn(nn.Module):
    """A model with a core."""

    def __init__(self) -> None:
        super().__init__()
        self.core = Core()


class WanModel21(StandIn):
    """Lists in, a list out: one entry per sample."""

    def forward(
        self, x: list[Tensor], t: Tensor, context: list[Tensor], seq_len: int, clip_fea: Any = None, y: Any = None
    ) -> list[Tensor]:
        return [self.core(u[None], t, c[None])[0] for u, c in zip(x, context, strict=True)]


class WanModel22(StandIn):
    """As Wan 2.1, without the image's features; its time may be one number per token."""

    def forward(self, x: list[Tensor], t: Tensor, context: list[Tensor], seq_len: int, y: Any = None) -> list[Tensor]:
        return [self.core(u[None], t, c[None])[0] for u, c in zip(x, context, strict=True)]


# Found by the names of the classes they stand for.
for stand_in, real in ((WanModel21, "WanModel"), (WanModel22, "WanModel")):
    stand_in.__name__ = real


def noise(seed: int, *shape: int) -> Tensor:
    """Where a generation begins."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def times(steps: int) -> list[Tensor]:
    """From 1000 down, each a tensor of its own."""
    return list(torch.linspace(1000, 1000 / steps, steps))
