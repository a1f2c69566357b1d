"""One step of a generation: guidance in one batch, frames that are given, and the way along the flow."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from diffusers.utils.torch_utils import randn_tensor
from torch import Tensor

from navicache_opensora.conditioning import Frames, choose
from navicache_opensora.inputs import Video
from navicache_opensora.scheduler import RectifiedFlowScheduler
from navicache_opensora.text import Text
from navicache_opensora.transformer import STDiT3Transformer


@dataclass(frozen=True)
class Denoiser:
    """The transformer with all of its inputs but latents and time."""

    transformer: STDiT3Transformer
    inputs: dict[str, Any]  # y, mask, fps, height and width, one row for each row of the call
    guidance: float

    @property
    def branches(self) -> int:
        """Two with guidance, in the order conditional, unconditional; at a scale of 1 the second has no weight."""
        return 1 if self.guidance == 1 else 2

    def __call__(self, latents: Tensor, timestep: Tensor, active: Tensor | None, where: dict[str, Any]) -> Tensor:
        """Predict x0 - noise; `where` tells caches where in the run the call is."""
        rows = len(latents) * self.branches
        x = latents.to(self.transformer.dtype).repeat(self.branches, 1, 1, 1, 1)
        x_mask = None if active is None else active.to(x.device).repeat(self.branches, 1)
        with self.transformer.cache_context("cond" if self.branches == 1 else "cond_uncond", **where):
            out = self.transformer(
                x=x, timestep=timestep.expand(rows), x_mask=x_mask, **self.inputs, return_dict=False
            )[0]
        predicted = out[:, : latents.shape[1]]
        if self.branches == 1:
            return predicted
        conditional, unconditional = predicted.chunk(2)
        return unconditional + self.guidance * (conditional - unconditional)


def build_denoiser(
    transformer: STDiT3Transformer, text: Text, video: Video, guidance: float, device: torch.device
) -> Denoiser:
    """Gather the inputs; the unconditional branch sees as much of the null caption as its prompt is long."""
    text = text.trimmed()
    y = text.embeds.to(device, transformer.dtype)[:, None]
    mask = text.mask.to(device)
    if guidance != 1:
        null = transformer.y_embedder.y_embedding.to(device, transformer.dtype)
        y = torch.cat([y, null[: y.shape[2]].expand_as(y)])
        mask = mask.repeat(2, 1)
    sizes = {"fps": video.fps, "height": video.height, "width": video.width}
    dtype = size_dtype(transformer.dtype)
    rows = {name: torch.full((len(y),), float(value), dtype=dtype, device=device) for name, value in sizes.items()}
    # Without a mask attention takes its fastest path.
    return Denoiser(transformer, {"y": y, "mask": None if bool(mask.all()) else mask, **rows}, guidance)


def size_dtype(dtype: torch.dtype) -> torch.dtype:
    """The official pipelines round sizes to bfloat16 with the model; float16 could not hold an area."""
    return torch.bfloat16 if dtype == torch.bfloat16 else torch.float32


@dataclass(frozen=True)
class Stepper:
    """A run of the scheduler over latents, some frames of which may be given."""

    denoiser: Denoiser
    scheduler: RectifiedFlowScheduler
    generators: Sequence[torch.Generator | None]

    def __call__(self, index: int, latents: Tensor, frames: Frames | None, time: float) -> tuple[Tensor, Frames | None]:
        """Latents and frames after a step; `time` is its timestep, known on the host."""
        timestep = self.scheduler.timesteps[index]
        where = {
            "step_index": index,
            "num_inference_steps": len(self.scheduler.timesteps),
            "sigma": float(self.scheduler.sigmas[index]),
        }
        if frames is None:
            predicted = self.denoiser(latents, timestep, None, where)
            return self.scheduler.step(predicted, timestep, latents, return_dict=False)[0], None
        now = frames.at(time, self.scheduler.config["num_train_timesteps"])
        noisy = self._wake(latents, now.woken_since(frames), timestep)
        predicted = self.denoiser(noisy, timestep, now.active, where)
        moved = self.scheduler.step(predicted, timestep, noisy, return_dict=False)[0]
        return choose(now.active, moved, latents), now

    def _wake(self, latents: Tensor, woken: Tensor, timestep: Tensor) -> Tensor:
        if not bool(woken.any()):
            return latents
        noise = draw_noise(tuple(latents.shape), self.generators, latents.device, latents.dtype)
        return choose(woken, self.scheduler.add_noise(latents, noise, timestep.expand(len(latents))), latents)


def draw_noise(
    shape: tuple[int, ...], generators: Sequence[torch.Generator | None], device: torch.device, dtype: torch.dtype
) -> Tensor:
    """Standard normal noise, each video from its own generator."""
    one = (1, *shape[1:])
    return torch.cat([randn_tensor(one, generator=own, device=device, dtype=dtype) for own in generators])
