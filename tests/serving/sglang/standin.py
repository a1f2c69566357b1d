"""A stand-in for what the hooks meet of SGLang: a stage with its loop, a request, a forward context.

Written from the interface alone; tests/serving runs the real one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from navicache_serving.sglang.all_hooks import build_hooks
from navicache_serving.sglang.hooks import STAGE_CLASS


class Field(nn.Module):
    """A smooth field with a pull of its own for each guidance branch; keeps the times it was called at."""

    def __init__(self, rate: float = 0.7) -> None:
        super().__init__()
        self.rate, self.calls = rate, list[float]()

    def forward(self, hidden_states: Tensor, timestep: Tensor, pull: float) -> Tensor:
        self.calls.append(float(timestep.flatten()[0]))
        return self.rate * hidden_states + pull * torch.cos(timestep / 400).view(-1, 1, 1, 1, 1)


@dataclass
class Req:
    """A request, or a batch of merged ones."""

    steps: int = 20
    extra: dict[str, Any] = field(default_factory=dict)
    is_cfg_negative: bool = False
    is_warmup: bool = False
    guidance: bool = True
    batch: int = 1
    enable_teacache: bool = False
    stop_after: int | None = None
    quality: str = "lossless"
    timesteps: Any = None
    latents: Any = None

    @property
    def sampling_params(self) -> Req:
        return self

    def asking(self, navicache: Any) -> Req:
        self.extra["diffusers_kwargs"] = {"navicache": navicache}
        return self


class Stage:
    """The methods that are hooked, and who calls them."""

    def __init__(self, transformer: nn.Module, transformer_2: nn.Module | None = None) -> None:
        self.transformer, self.transformer_2 = transformer, transformer_2
        self.context: Any = None

    def __call__(self, batch: Req) -> Tensor:
        self.verify_input(batch, None)
        ctx = SimpleNamespace(timesteps=torch.linspace(1000, 40, batch.steps), latents=start(batch))
        return self._run_denoising_loop(ctx, batch, None)

    def verify_input(self, batch: Req, server_args: Any) -> str:
        return "fine"

    def _run_denoising_loop(self, ctx: Any, batch: Req, server_args: Any) -> Tensor:
        for index, time in enumerate(ctx.timesteps):
            late = self.transformer_2 is not None and float(time) < 500
            model = self.transformer_2 if late else self.transformer
            latent = ctx.latents.clone()
            parts = [self._branch(batch, index, model, latent, time, sign) for sign in signs(batch)]
            ctx.latents = ctx.latents - parts[0] / batch.steps - (parts[0] - parts[-1]) / batch.steps
            if index == batch.stop_after:
                raise RuntimeError("stopped")
        return ctx.latents

    def _branch(self, batch: Req, index: int, model: Any, latent: Tensor, time: Tensor, sign: float) -> Tensor:
        batch.is_cfg_negative = sign < 0
        with self.forward_context(SimpleNamespace(current_timestep=index, forward_batch=batch)):
            return self._predict_noise(
                current_model=model, latent_model_input=latent, timestep=time.expand(batch.batch), pull=sign
            )

    def _predict_noise(self, current_model: Any, latent_model_input: Tensor, timestep: Tensor, **kwargs: Any) -> Tensor:
        return current_model(latent_model_input, timestep, **kwargs)

    @contextmanager
    def forward_context(self, context: Any) -> Iterator[None]:
        self.context = context
        try:
            yield
        finally:
            self.context = None


def signs(batch: Req) -> list[float]:
    return [1.0, -1.0] if batch.guidance else [1.0]


def start(batch: Req) -> Tensor:
    return torch.randn(batch.batch, 4, 3, 8, 8, generator=torch.Generator().manual_seed(3))


def hooked(
    stage: Any, server: Any = None, group: Callable[[], Any] = lambda: None, stands_for: str = STAGE_CLASS
) -> Any:
    """The stage with our hooks around its methods, as SGLang's registry puts them around those of its class."""
    return put_around(stage, build_hooks(lambda: stage.context, group, server), stands_for)


def put_around(target: Any, hooks: dict[str, Callable[..., Any]], *classes: str) -> Any:
    """Put those hooks around the methods of an instance that wrap methods of these classes."""
    for path, hook in hooks.items():
        kind, _, name = path.rpartition(".")
        if kind in classes:
            setattr(target, name, functools.partial(around, hook, getattr(type(target), name), target))
    return target


def around(hook: Callable[..., Any], method: Callable[..., Any], stage: Any, *args: Any, **kwargs: Any) -> Any:
    return hook(method, stage, *args, **kwargs)
