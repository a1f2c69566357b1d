"""A stand-in for ComfyUI's guider: conditionings put into calls, and one run of a sampler."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from tests.integrations.comfyui.standin import OUTER_SAMPLE, Executor, Patcher, copied, patched_weights, wrappers_in
from torch import Tensor


@dataclass
class Cond:
    """A conditioning: a pull, perhaps on a part of the width alone, perhaps within some noise levels."""

    pull: float
    area: slice | None = None
    control: Tensor | None = None
    levels: tuple[float, float] = (0.0, math.inf)
    uuid: uuid.UUID = field(default_factory=uuid.uuid4)

    def as_dictionary(self) -> dict[str, Any]:
        return {"start_percent": max(0.0, 1 - self.levels[1])} if self.levels[1] < math.inf else {}

    def part(self, x: Tensor) -> Tensor:
        return x if self.area is None else x[..., self.area]


@dataclass
class Guider:
    """ComfyUI's CFGGuider: one run of a sampler over a model."""

    model_patcher: Patcher
    positive: list[Cond]
    negative: list[Cond] = field(default_factory=list)
    cfg: float = 4.0
    batched: Callable[[float], bool] = lambda sigma: True  # whether there is memory for several chunks in a call
    model_options: dict[str, Any] = field(default_factory=dict)

    @property
    def conds(self) -> dict[str, list[dict[str, Any]]]:
        """As ComfyUI has them before a run: shares of it in place of noise levels, which are 1 - share here."""
        roles = {"positive": self.positive, "negative": self.negative}
        return {role: [cond.as_dictionary() for cond in conds] for role, conds in roles.items()}

    def sample(self, noise: Tensor, sampler: Any, sigmas: Tensor, latent: Tensor | None = None) -> Tensor:
        original, self.model_options = self.model_options, copied(self.model_patcher.model_options)
        options = self.model_options["transformer_options"]
        options["wrappers"] = copied(self.model_patcher.wrappers)
        try:
            return Executor(self.outer_sample, self, wrappers_in(options, OUTER_SAMPLE)).execute(
                *(noise, torch.zeros_like(noise) if latent is None else latent, sampler, sigmas, None, None, True, 0),
                latent_shapes=[noise.shape],
            )
        finally:
            self.model_options = original

    def outer_sample(self, noise: Tensor, latent: Tensor, sampler: Any, sigmas: Tensor, *_: Any, **__: Any) -> Tensor:
        with patched_weights(self.model_patcher):
            return sampler.sampler_function(self, noise * sigmas[0] + latent * (1 - sigmas[0]), sigmas)

    def __call__(self, x: Tensor, sigma: Tensor) -> Tensor:
        """The denoised latent under guidance: one evaluation of the sampler."""
        timestep = sigma.reshape(1).repeat(x.shape[0])
        roles = [self.positive, self.negative if self.cfg != 1.0 else []]
        denoised = self.by_role(roles, x, timestep)
        return denoised[0] if not roles[1] else denoised[1] + (denoised[0] - denoised[1]) * self.cfg

    def by_role(self, roles: list[list[Cond]], x: Tensor, timestep: Tensor) -> list[Tensor]:
        sums = [torch.zeros_like(x) for _ in roles]
        counts = [torch.full_like(x, 1e-37) for _ in roles]
        now = float(timestep[0])
        waiting = [(role, cond) for role, conds in enumerate(roles) for cond in conds if _holds(cond, now)]
        while waiting:
            shape = waiting[0][1].part(x).shape
            alike = [pair for pair in waiting if pair[1].part(x).shape == shape and pair[1].control is None]
            chunks = [*reversed(alike)] if alike and self.batched(now) else waiting[:1]
            for pair, output in zip(chunks, self.call(chunks, x, timestep), strict=True):
                pair[1].part(sums[pair[0]]).add_(output)
                pair[1].part(counts[pair[0]]).add_(1.0)
            waiting = [pair for pair in waiting if pair not in chunks]
        return [total / count for total, count in zip(sums, counts, strict=True)]

    def call(self, chunks: list[tuple[int, Cond]], x: Tensor, timestep: Tensor) -> tuple[Tensor, ...]:
        options = copied(self.model_options["transformer_options"])
        options |= {"cond_or_uncond": [role for role, _ in chunks], "uuids": [cond.uuid for _, cond in chunks]}
        options["sigmas"] = timestep
        latents = torch.cat([cond.part(x) for _, cond in chunks])
        pulls = torch.tensor([cond.pull for _, cond in chunks]).repeat_interleave(x.shape[0])
        times = timestep.repeat(len(chunks))
        model = self.model_patcher.model
        output = model.apply_model(latents, times, None, pulls, chunks[0][1].control, transformer_options=options)
        return output.chunk(len(chunks))


def _holds(cond: Cond, sigma: float) -> bool:
    return cond.levels[0] <= sigma <= cond.levels[1]
