"""A toy with an inside, so that one model can be cached at all three sites, and loops nobody would write around it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

import navicache

SITES: dict[str, dict[str, Any]] = {
    "model": {"policy": "navicache", "threshold": 0.3, "align_steps": 2},
    "inertial": {"policy": "inertial", "threshold": 1e-3, "align_steps": 3},
    "static": {"policy": "static", "interval": 2, "align_steps": 2},
    "blocks": {"policy": "navicache", "threshold": 0.3, "align_steps": 2, "site": "blocks"},
    "modules": {"policy": "pab"},
}


class Broken(Exception):
    """What a model may die of."""


class Block(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.attn1, self.scale = nn.Identity(), scale

    def forward(self, hidden_states: Tensor, bias: Tensor) -> Tensor:
        return hidden_states + self.scale * self.attn1(hidden_states) + bias


class Stack(nn.Module):
    """Three blocks; what goes wrong in a call is told by an attribute, since no argument should matter to a cache."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(scale) for scale in (0.1, 0.2, 0.1)])
        self.trouble = ""
        self.calls = 0

    def forward(self, hidden_states: Tensor, timestep: Tensor, encoder_hidden_states: Tensor) -> Tensor:
        self.calls += 1
        bias = encoder_hidden_states.flatten(1).mean(1).reshape(-1, *[1] * (hidden_states.ndim - 1))
        x = hidden_states + 1e-4 * timestep.reshape(-1)[0]
        for block in self.blocks:
            x = block(x, bias * {"nan": math.nan, "inf": math.inf}.get(self.trouble, 1.0))
        if self.trouble == "raise":
            raise Broken
        return x


@dataclass(frozen=True)
class Call:
    """One call of a loop: which step and branch, and what is wrong with it."""

    time: float
    branch: int
    trouble: str = ""  # of the model: "nan", "inf", "raise"
    spoilt: str = ""  # the latent: "nan", "inf"


@dataclass(frozen=True)
class Generation:
    """One denoising loop, and how it ends."""

    steps: tuple[tuple[Call, ...], ...]
    batch: int
    width: int
    recreate: bool  # the conditioning is made anew for every call
    reset: bool  # told at the end

    def latents(self) -> list[Tensor]:
        """One a step; nothing the model says changes them."""
        generator = torch.Generator().manual_seed(len(self.steps) + self.width)
        start, drift = (torch.randn(self.batch, 5, self.width, generator=generator) for _ in range(2))
        return [start + 0.03 * step * drift for step in range(len(self.steps))]


def spoil(x: Tensor, how: str) -> Tensor:
    if how:
        x = x.clone()
        x[..., 0] = math.nan if how == "nan" else -math.inf
    return x


def enabled(site: str, **more: Any) -> tuple[Stack, navicache.Cache]:
    model = Stack()
    return model, navicache.enable(model, **{**SITES[site], **more})
