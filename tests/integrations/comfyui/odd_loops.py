"""Samplers that put noise back, or whose steps are not those of their list."""

from __future__ import annotations

import torch
from tests.integrations.comfyui.guider import Guider
from tests.integrations.comfyui.loops import levels, sample_euler, sample_heun, steps_of
from torch import Tensor


def sample_restart(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    """Goes down, puts noise back, and goes down once more."""
    back = len(sigmas) // 4
    x = sample_euler(model, x, sigmas[: 3 * back + 1])
    high, low = sigmas[back], sigmas[3 * back]
    x = x * (1 - high) / (1 - low) + torch.randn(x.shape, generator=torch.Generator().manual_seed(1)) * high
    return sample_euler(model, x, sigmas[back:])


def sample_heun_twice_back(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    """Puts noise back twice, each time for six steps with revisits, as the sampler `restart` does."""
    back, generator = len(sigmas) // 4, torch.Generator().manual_seed(1)
    x = sample_heun(model, x, sigmas[: 3 * back + 1])
    high, low = sigmas[back], sigmas[3 * back]
    for _ in range(2):
        x = x * (1 - high) / (1 - low) + torch.randn(x.shape, generator=generator) * high
        x = sample_heun(model, x, torch.linspace(float(high), float(low), 7))
    return sample_heun(model, x, sigmas[3 * back :])


def sample_lcm(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    for now, then in steps_of(sigmas):
        x = (1 - then) * model(x, now) + then * torch.randn(x.shape, generator=generator)
    return x


def dpm_adaptive_function(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
    return sample_euler(model, x, levels(37))
