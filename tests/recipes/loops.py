"""How each program calls its model, step after step, written by us around a stand-in."""

from __future__ import annotations

import torch
from tests.recipes.stand_ins import noise, times
from torch import Tensor, nn

STEPS = 20
COND, UNCOND = 1.0, 2.0


def text(value: float) -> Tensor:
    return torch.full((3, 4), value)


def guided(cond: Tensor, uncond: Tensor) -> Tensor:
    return uncond + 5 * (cond - uncond)


def wan(model: nn.Module, seed: int) -> Tensor:
    """Wan 2.1: the list of latents is a new one at every step, the two contexts are made once."""
    return wan_experts(model, model, 1001, seed)


def wan_experts(high: nn.Module, low: nn.Module, boundary: float, seed: int) -> Tensor:
    """Wan 2.2: above the boundary one expert, below it the other."""
    latents = [noise(seed, 4, 3, 6, 8)]
    cond, uncond = [text(COND)], [text(UNCOND)]
    for time in times(STEPS):
        model, t = high if time >= boundary else low, torch.stack([time])
        flow = guided(
            model(latents, t=t, context=cond, seq_len=36)[0], model(latents, t=t, context=uncond, seq_len=36)[0]
        )
        latents = [latents[0] - flow / STEPS]
    return latents[0]


def wan_tokens(model: nn.Module, seed: int) -> Tensor:
    """Wan 2.2 TI2V: a time for every token, zero where the first frame is given."""
    latents, mask = [noise(seed, 4, 3, 6, 8)], torch.ones(36)
    mask[:12] = 0
    for time in times(STEPS):
        t = (mask * time).unsqueeze(0)
        cond, uncond = (model(latents, t=t, context=[text(value)], seq_len=36)[0] for value in (COND, UNCOND))
        latents = [latents[0] - guided(cond, uncond) / STEPS]
    return latents[0]
