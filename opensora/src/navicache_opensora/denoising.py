"""One denoising step: both guidance branches in one batch, reference frames, and the step of the scheduler."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from diffusers.utils.torch_utils import randn_tensor
from torch import Tensor

from navicache_opensora.conditioning import ActiveFrames, select_by_frame
from navicache_opensora.inputs import VideoSpec
from navicache_opensora.scheduler import RectifiedFlowScheduler
from navicache_opensora.text import TextEmbeds
from navicache_opensora.transformer import STDiT3Transformer


@dataclass(frozen=True)
class GuidedDenoiser:
    """The transformer with classifier-free guidance, and all of its inputs except latents and timestep."""

    transformer: STDiT3Transformer
    inputs: dict[str, Any]  # y, mask, fps, height and width, one row for each row of the call
    guidance_scale: float

    @property
    def num_branches(self) -> int:
        """Two with guidance, in the order conditional, unconditional; one at a guidance scale of 1."""
        return 1 if self.guidance_scale == 1 else 2

    def predict(self, latents: Tensor, timestep: Tensor, active: Tensor | None, cache_info: dict[str, Any]) -> Tensor:
        """Predict x0 - noise; `cache_info` tells caches which step of the run this call is."""
        rows = len(latents) * self.num_branches
        x = latents.to(self.transformer.dtype).repeat(self.num_branches, 1, 1, 1, 1)
        x_mask = None if active is None else active.to(x.device).repeat(self.num_branches, 1)
        with self.transformer.cache_context("cond" if self.num_branches == 1 else "cond_uncond", **cache_info):
            out = self.transformer(
                x=x, timestep=timestep.expand(rows), x_mask=x_mask, **self.inputs, return_dict=False
            )[0]
        predicted = out[:, : latents.shape[1]]
        if self.num_branches == 1:
            return predicted
        conditional, unconditional = predicted.chunk(2)
        return unconditional + self.guidance_scale * (conditional - unconditional)


def build_denoiser(
    transformer: STDiT3Transformer, text: TextEmbeds, video: VideoSpec, guidance_scale: float, device: torch.device
) -> GuidedDenoiser:
    """Gather the inputs; the null caption of the unconditional branch is cut to the length of the prompts."""
    text = text.trim_padding()
    y = text.embeds.to(device, transformer.dtype)[:, None]
    mask = text.mask.to(device)
    if guidance_scale != 1:
        null = transformer.y_embedder.y_embedding.to(device, transformer.dtype)
        y = torch.cat([y, null[: y.shape[2]].expand_as(y)])
        mask = mask.repeat(2, 1)
    sizes = {"fps": video.fps, "height": video.height, "width": video.width}
    dtype = choose_size_dtype(transformer.dtype)
    rows = {name: torch.full((len(y),), float(value), dtype=dtype, device=device) for name, value in sizes.items()}
    # Without a mask, attention takes its fastest path.
    return GuidedDenoiser(transformer, {"y": y, "mask": None if bool(mask.all()) else mask, **rows}, guidance_scale)


def choose_size_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype of height, width and fps: the official pipelines use bfloat16; float16 cannot hold an area."""
    return torch.bfloat16 if dtype == torch.bfloat16 else torch.float32


@dataclass(frozen=True)
class FlowSampler:
    """Takes the steps of a scheduler; some frames of the latents may be references."""

    denoiser: GuidedDenoiser
    scheduler: RectifiedFlowScheduler
    generators: Sequence[torch.Generator | None]

    def take_step(
        self, index: int, latents: Tensor, frames: ActiveFrames | None, time: float
    ) -> tuple[Tensor, ActiveFrames | None]:
        """Latents and active frames after a step; `time` is its timestep as a number on the CPU."""
        timestep = self.scheduler.timesteps[index]
        cache_info = {
            "step_index": index,
            "num_inference_steps": len(self.scheduler.timesteps),
            "sigma": float(self.scheduler.sigmas[index]),
        }
        if frames is None:
            predicted = self.denoiser.predict(latents, timestep, None, cache_info)
            return self.scheduler.step(predicted, timestep, latents, return_dict=False)[0], None
        now = frames.at_timestep(time, self.scheduler.config["num_train_timesteps"])
        noisy = self._add_noise(latents, now.find_activated(frames), timestep)
        predicted = self.denoiser.predict(noisy, timestep, now.mask, cache_info)
        denoised = self.scheduler.step(predicted, timestep, noisy, return_dict=False)[0]
        return select_by_frame(now.mask, denoised, latents), now

    def _add_noise(self, latents: Tensor, activated: Tensor, timestep: Tensor) -> Tensor:
        """Add the noise of this timestep to the frames that have just become active."""
        if not bool(activated.any()):
            return latents
        noise = draw_noise(tuple(latents.shape), self.generators, latents.device, latents.dtype)
        noisy = self.scheduler.add_noise(latents, noise, timestep.expand(len(latents)))
        return select_by_frame(activated, noisy, latents)


def draw_noise(
    shape: tuple[int, ...], generators: Sequence[torch.Generator | None], device: torch.device, dtype: torch.dtype
) -> Tensor:
    """Standard normal noise, each video from its own generator."""
    one = (1, *shape[1:])
    noise = [randn_tensor(one, generator=generator, device=device, dtype=dtype) for generator in generators]
    return torch.cat(noise)
