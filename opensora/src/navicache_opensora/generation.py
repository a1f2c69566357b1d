"""From the inputs of a call to its frames; the clips of a long video are generated one after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from navicache_opensora.conditioning import ActiveFrames
from navicache_opensora.denoising import FlowSampler, build_denoiser, choose_size_dtype, draw_noise
from navicache_opensora.inputs import SamplingSettings, VideoRequest, VideoSpec
from navicache_opensora.masks import ReferencePlacement, apply_mask_strategy
from navicache_opensora.sizes import MICRO_FRAMES, MICRO_LATENTS
from navicache_opensora.text import TextEmbeds

StepCallback = Callable[[Any, int, Tensor, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class GenerationInputs:
    """What a call generates; one request, row of text and generator for each video."""

    video: VideoSpec
    settings: SamplingSettings
    requests: Sequence[VideoRequest]
    texts: Sequence[TextEmbeds]  # one for each loop
    generators: Sequence[torch.Generator | None]
    latents: Tensor | None = None
    callback: StepCallback | None = None


def generate_video(pipe: Any, inputs: GenerationInputs) -> Tensor:
    """(batch, 3, frames, height, width) in [-1, 1], or latents if `output_type` is "latent"."""
    references = encode_references(pipe, inputs)
    clips: list[Tensor] = []
    for loop, text in enumerate(inputs.texts):
        if loop:  # the end of the last clip becomes one more reference; the VAE encodes each 17 frames alone anyway
            encoded = encode_clips(pipe, clips[-1][:, :, -MICRO_FRAMES:], inputs.generators)
            references = [[*earlier, latents] for earlier, latents in zip(references, encoded, strict=True)]
        latents, edit_ratios = prepare_latents(pipe, inputs, references, loop)
        latents = denoise_clip(pipe, inputs, text, latents, edit_ratios)
        if inputs.settings.output_type == "latent":
            return latents
        decoded = pipe.vae.decode(latents.to(pipe.vae.dtype), inputs.video.num_frames, return_dict=False)[0]
        clips.append(decoded if not loop else decoded[:, :, MICRO_FRAMES:])
    return torch.cat(clips, dim=2)


def encode_references(pipe: Any, inputs: GenerationInputs) -> list[list[Tensor]]:
    """Latents (channels, frames, rows, columns) of every reference of every video."""
    return [
        [encode_clips(pipe, reference, [generator])[0] for reference in request.references]
        for request, generator in zip(inputs.requests, inputs.generators, strict=True)
    ]


def encode_clips(pipe: Any, clips: Tensor, generators: Sequence[torch.Generator | None]) -> list[Tensor]:
    """Latents of every clip of a batch, each sampled with its own generator."""
    clips = clips.to(pipe._execution_device, pipe.vae.dtype)
    return [pipe.vae.encode(clip[None], generator=own)[0] for clip, own in zip(clips, generators, strict=True)]


def prepare_latents(
    pipe: Any, inputs: GenerationInputs, references: Sequence[Sequence[Tensor]], loop: int
) -> tuple[Tensor, Tensor]:
    """Noise with the references put in, and the edit ratio of every frame."""
    device, shape = pipe._execution_device, (len(inputs.requests), pipe.transformer.config["in_channels"])
    if loop or inputs.latents is None:
        noise = draw_noise((*shape, *inputs.video.latent_size), inputs.generators, device, pipe.transformer.dtype)
    else:
        noise = inputs.latents.to(device, pipe.transformer.dtype)
    prepared = [
        apply_mask_strategy(row, given, _list_placements(request, given, loop), loop, inputs.settings.align)
        for row, given, request in zip(noise, references, inputs.requests, strict=True)
    ]
    return torch.stack([latents for latents, _ in prepared]), torch.stack([ratios for _, ratios in prepared])


def _list_placements(request: VideoRequest, references: Sequence[Tensor], loop: int) -> tuple[ReferencePlacement, ...]:
    """The requested placements; a later loop also starts with the end of the last clip, the last reference."""
    if not loop:
        return request.placements
    end = ReferencePlacement(loop, len(references) - 1, -MICRO_LATENTS, 0, MICRO_LATENTS, 0.0)
    return (*request.placements, end)


def denoise_clip(pipe: Any, inputs: GenerationInputs, text: TextEmbeds, latents: Tensor, edit_ratios: Tensor) -> Tensor:
    """Run all denoising steps of one clip."""
    video, device = inputs.video, pipe._execution_device
    pipe.scheduler.set_timesteps(
        inputs.settings.num_inference_steps,
        device,
        height=video.height,
        width=video.width,
        num_frames=video.num_frames,
        size_dtype=choose_size_dtype(pipe.transformer.dtype),
    )
    denoiser = build_denoiser(pipe.transformer, text, video, inputs.settings.guidance_scale, device)
    sampler = FlowSampler(denoiser, pipe.scheduler, inputs.generators)
    # If all frames are made from noise, a mask would change nothing and cost time.
    frames = None if bool(edit_ratios.eq(1).all()) else ActiveFrames.at_start(edit_ratios)
    with pipe.progress_bar(total=len(pipe.scheduler.timesteps)) as bar:
        for index, time in enumerate(pipe.scheduler.timesteps.tolist()):
            if pipe.interrupt:
                continue
            latents, frames = sampler.take_step(index, latents, frames, time)
            latents = _call_back(pipe, inputs.callback, index, latents)
            bar.update()
    return latents


def _call_back(pipe: Any, callback: StepCallback | None, index: int, latents: Tensor) -> Tensor:
    if callback is None:
        return latents
    return callback(pipe, index, pipe.scheduler.timesteps[index], {"latents": latents}).pop("latents", latents)
