"""A stand-in for what the backend meets of vLLM-Omni: a pipeline of one or two transformers, a runner, a config.

Written from the interface alone; tests/serving runs the real one.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from diffusers import FlowMatchEulerDiscreteScheduler
from torch import Tensor, nn

from navicache_serving.vllm_omni.backend import PipelineCacheBackend


class Field(nn.Module):
    """A smooth field whose conditioning pulls the latent its own way; keeps the times it was called at."""

    def __init__(self, rate: float = 0.7) -> None:
        super().__init__()
        self.rate, self.calls = rate, list[float]()

    def forward(
        self, hidden_states: Tensor, timestep: Tensor, encoder_hidden_states: Tensor, return_dict: bool = True
    ) -> tuple[Tensor]:
        self.calls.append(float(timestep.flatten()[0]))
        pull = encoder_hidden_states.mean(dim=(1, 2)).view(-1, 1, 1, 1, 1)
        return (self.rate * hidden_states + pull * torch.cos(timestep / 400).view(-1, 1, 1, 1, 1),)


class Pipeline(nn.Module):
    """Two guidance calls a step, and a scheduler of diffusers; `own` has no scheduler that tells."""

    def __init__(self, transformer_2: nn.Module | None = None, own: bool = False, **config: Any) -> None:
        super().__init__()
        self.transformer, self.transformer_2 = Field(), transformer_2
        self.scheduler = None if own else FlowMatchEulerDiscreteScheduler(shift=3.0)
        self.od_config = SimpleNamespace(**config)

    def forward(
        self, wave: Any = None, steps: int = 20, batch: int = 1, stop_after: int | None = None, guidance: bool = True
    ) -> Tensor:
        prompts = torch.randn(2, batch, 3, 5, generator=torch.Generator().manual_seed(5))
        latents = torch.randn(batch, 4, 3, 8, 8, generator=torch.Generator().manual_seed(3))
        scheduler = self.scheduler or FlowMatchEulerDiscreteScheduler(shift=3.0)
        scheduler.set_timesteps(steps)
        for index, time in enumerate(scheduler.timesteps):
            late = self.transformer_2 is not None and float(time) < 500
            model = self.transformer_2 if late else self.transformer
            said = [
                model(latents, time.expand(batch), prompt, return_dict=False)[0] for prompt in prompts[: 1 + guidance]
            ]
            noise = said[-1] + 3.0 * (said[0] - said[-1])
            latents = scheduler.step(noise, time, latents, return_dict=False)[0]
            if index == stop_after:
                raise RuntimeError("stopped")
        return latents


class Staged(Pipeline):
    """Its runner calls `run_stage`, as for Wan 2.2, whose stages may have processes of their own."""

    def run_stage(self, wave: Any, **call: Any) -> Tensor:
        return self.forward(wave, **call)


def config(**extra: Any) -> Any:
    return SimpleNamespace(_extra_params=extra)


def backend(**extra: Any) -> PipelineCacheBackend:
    return PipelineCacheBackend(config(**extra), lambda: None)


def asking(*asked: Any, quality: str | None = None) -> Any:
    """A wave of requests: what each says about the cache, and the quality of all."""
    params = [
        SimpleNamespace(extra_args={} if each is None else {"navicache": each}, quality=quality) for each in asked
    ]
    return SimpleNamespace(requests=[SimpleNamespace(sampling_params=each) for each in params])


def request(
    pipeline: Pipeline, cache: PipelineCacheBackend | None, steps: int | None = 20, wave: Any = None, **call: Any
) -> Tensor:
    """As the runner does: refresh where the number of steps is known, then the pipeline or its `run_stage`."""
    with torch.inference_mode():
        if cache is not None and cache.is_enabled() and steps is not None:
            cache.refresh(pipeline, steps)
        return getattr(pipeline, "run_stage", pipeline)(wave, steps=steps or 30, **call)
