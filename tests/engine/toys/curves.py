"""Nonlinear models, so that samples of different size need computing at different steps."""

import torch
from torch import Tensor, nn


class Curved(nn.Module):
    """For latents of (rows, 3, height, width), or a list of them; counts the rows it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[int] = []

    def forward(self, x, t, context):
        self.rows.append(len(x))
        if isinstance(x, list):
            return [bend(row, time, text.mean()) for row, time, text in zip(x, t, context, strict=True)]
        return bend(x, t.reshape(-1, 1, 1, 1), context.mean(-1).reshape(-1, 1, 1, 1))


def bend(x, t, bias):
    channels = torch.arange(1.0, 4.0).reshape(3, 1, 1)
    return torch.sin(x * 0.7 * channels) * x + bias * torch.cos(x) + t * 0.02


def course(sample: int, i: int) -> Tensor:
    generator = torch.Generator().manual_seed(sample)
    start, slope = torch.randn(2, 1, 3, 2, 4, generator=generator) * torch.tensor([2.0, 0.4 + 0.8 * sample]).view(
        2, 1, 1, 1, 1
    )
    return start + slope * i / 24


class Wavy(nn.Module):
    """The same for rows of six numbers, with arguments that some rows share and others do not."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[int] = []

    def forward(self, x, t, context, rope=None, extra=None):
        self.rows.append(x.shape[0])
        assert rope is None or rope[0].shape == (7, 2)
        assert extra is None or extra["mask"].shape[0] == x.shape[0]
        return torch.sin(x * 0.7) * x + context.mean(-1, keepdim=True) + t.reshape(-1, 1) * 0.1


def latents(sample: int, steps: int = 16) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(sample)
    start, slope = torch.randn(1, 6, generator=generator) * 3, torch.randn(1, 6, generator=generator) * (0.1 + sample)
    return [start + slope * i / steps for i in range(steps)]
