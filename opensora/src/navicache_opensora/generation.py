"""A generation from the plan to the frames; the parts of a long video one after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from navicache_opensora.conditioning import Frames
from navicache_opensora.denoising import Stepper, build_denoiser, draw_noise, size_dtype
from navicache_opensora.inputs import Scene, Settings, Video
from navicache_opensora.masks import Placement, apply_strategy
from navicache_opensora.sizes import MICRO_FRAMES, MICRO_LATENTS
from navicache_opensora.text import Text

Callback = Callable[[Any, int, Tensor, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Plan:
    """All a generation needs to know; one scene, row of text and generator for each video."""

    video: Video
    settings: Settings
    scenes: Sequence[Scene]
    texts: Sequence[Text]  # one for each part
    generators: Sequence[torch.Generator | None]
    latents: Tensor | None = None
    callback: Callback | None = None


def generate(pipe: Any, plan: Plan) -> Tensor:
    """(batch, 3, frames, height, width) in [-1, 1], or latents where these were asked for."""
    references = encode_references(pipe, plan)
    clips: list[Tensor] = []
    for loop, text in enumerate(plan.texts):
        if loop:  # the end of the clip before becomes one more reference; the VAE takes 17 frames by themselves anyway
            encoded = encode_clip(pipe, clips[-1][:, :, -MICRO_FRAMES:], plan.generators)
            references = [[*own, latents] for own, latents in zip(references, encoded, strict=True)]
        latents, ratios = lay_out(pipe, plan, references, loop)
        latents = denoise(pipe, plan, text, latents, ratios)
        if plan.settings.output_type == "latent":
            return latents
        decoded = pipe.vae.decode(latents.to(pipe.vae.dtype), plan.video.num_frames, return_dict=False)[0]
        clips.append(decoded if not loop else decoded[:, :, MICRO_FRAMES:])
    return torch.cat(clips, dim=2)


def encode_references(pipe: Any, plan: Plan) -> list[list[Tensor]]:
    """Latents (channels, frames, rows, columns) of every reference of every video."""
    return [
        [encode_clip(pipe, reference, [generator])[0] for reference in scene.references]
        for scene, generator in zip(plan.scenes, plan.generators, strict=True)
    ]


def encode_clip(pipe: Any, clip: Tensor, generators: Sequence[torch.Generator | None]) -> list[Tensor]:
    """Latents of every video of a batch."""
    clip = clip.to(pipe._execution_device, pipe.vae.dtype)
    return [pipe.vae.encode(row[None], generator=own)[0] for row, own in zip(clip, generators, strict=True)]


def lay_out(pipe: Any, plan: Plan, references: Sequence[Sequence[Tensor]], loop: int) -> tuple[Tensor, Tensor]:
    """Noise with the references put in, and the edit ratio of every frame."""
    device, shape = pipe._execution_device, (len(plan.scenes), pipe.transformer.config["in_channels"])
    if loop or plan.latents is None:
        noise = draw_noise((*shape, *plan.video.latents), plan.generators, device, pipe.transformer.dtype)
    else:
        noise = plan.latents.to(device, pipe.transformer.dtype)
    laid = [
        apply_strategy(row, own, _placements(scene, own, loop), loop, plan.settings.align)
        for row, own, scene in zip(noise, references, plan.scenes, strict=True)
    ]
    return torch.stack([latents for latents, _ in laid]), torch.stack([ratios for _, ratios in laid])


def _placements(scene: Scene, references: Sequence[Tensor], loop: int) -> tuple[Placement, ...]:
    """Those asked for; a later part goes on from the end of the one before, which is the last reference."""
    if not loop:
        return scene.placements
    end = Placement(loop, len(references) - 1, -MICRO_LATENTS, 0, MICRO_LATENTS, 0.0)
    return (*scene.placements, end)


def denoise(pipe: Any, plan: Plan, text: Text, latents: Tensor, ratios: Tensor) -> Tensor:
    """All steps of one part."""
    video, device = plan.video, pipe._execution_device
    pipe.scheduler.set_timesteps(
        plan.settings.steps,
        device,
        height=video.height,
        width=video.width,
        num_frames=video.num_frames,
        size_dtype=size_dtype(pipe.transformer.dtype),
    )
    denoiser = build_denoiser(pipe.transformer, text, video, plan.settings.guidance, device)
    step = Stepper(denoiser, pipe.scheduler, plan.generators)
    # Where all frames are made from noise a mask would change nothing and cost time.
    frames = None if bool(ratios.eq(1).all()) else Frames.start(ratios)
    with pipe.progress_bar(total=len(pipe.scheduler.timesteps)) as bar:
        for index, time in enumerate(pipe.scheduler.timesteps.tolist()):
            if pipe.interrupt:
                continue
            latents, frames = step(index, latents, frames, time)
            latents = _tell(pipe, plan.callback, index, latents)
            bar.update()
    return latents


def _tell(pipe: Any, callback: Callback | None, index: int, latents: Tensor) -> Tensor:
    if callback is None:
        return latents
    return callback(pipe, index, pipe.scheduler.timesteps[index], {"latents": latents}).pop("latents", latents)
