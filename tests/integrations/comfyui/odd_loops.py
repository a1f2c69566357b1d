"""Samplers that put noise back, or whose steps are not those of their list."""

from __future__ import annotations

import torch
from tests.integrations.comfyui.guider import Guider
from tests.integrations.comfyui.loops import levels, sample_euler, steps_of
from torch import Tensor


def sample_restart(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    """Goes down, puts noise back, and goes down once more."""
    back = len(sigmas) // 4
    x = sample_euler(model, x, sigmas[: 3 * back + 1])
    high, low = sigmas[back], sigmas[3 * back]
    x = x * (1 - high) / (1 - low) + torch.randn(x.shape, generator=torch.Generator().manual_seed(1)) * high
    return sample_euler(model, x, sigmas[back:])


def sample_lcm(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    for now, then in steps_of(sigmas):
        x = (1 - then) * model(x, now) + then * torch.randn(x.shape, generator=generator)
    return x


def dpm_adaptive_function(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    return sample_euler(model, x, levels(37))
