"""Decode the first frame of the latents while a run goes on."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor


def decode_preview(pipe: Any, latents: Tensor) -> np.ndarray | None:
    """(height, width, 3) in [0, 1] of the first sample; None for an unknown VAE, or for latents that are packed."""
    vae = pipe.components.get("vae")
    decode = DECODERS.get(type(vae).__name__)
    if decode is None or latents.ndim < 4:
        return None
    with torch.no_grad():
        frame = decode(vae, latents[:1].to(vae.dtype))
    return (frame.float() / 2 + 0.5).clamp(0, 1).permute(1, 2, 0).cpu().numpy()


def _decode_image(vae: Any, latents: Tensor) -> Tensor:
    shift = vae.config.shift_factor or 0.0
    return vae.decode(latents / vae.config.scaling_factor + shift, return_dict=False)[0][0]


def _decode_scaled(vae: Any, latents: Tensor) -> Tensor:
    return _decode_first_frame(vae, latents[:, :, :1] / vae.config.scaling_factor)


def _decode_frames_first(vae: Any, latents: Tensor) -> Tensor:
    return _decode_scaled(vae, latents.transpose(1, 2))


def _decode_normalised(vae: Any, latents: Tensor) -> Tensor:
    mean, std = (
        torch.tensor(values, device=latents.device, dtype=latents.dtype).view(1, -1, 1, 1, 1)
        for values in (vae.config.latents_mean, vae.config.latents_std)
    )
    return _decode_first_frame(vae, latents[:, :, :1] * std + mean)


def _decode_opensora(vae: Any, latents: Tensor) -> Tensor:
    return vae.decode(latents[:, :, :1], 1, return_dict=False)[0][0, :, 0]


def _decode_first_frame(vae: Any, latents: Tensor) -> Tensor:
    return vae.decode(latents, return_dict=False)[0][0, :, 0]


DECODERS: Mapping[str, Callable[[Any, Tensor], Tensor]] = {
    "AutoencoderKL": _decode_image,
    "AutoencoderKLWan": _decode_normalised,
    "AutoencoderKLHunyuanVideo": _decode_scaled,
    "AutoencoderKLCogVideoX": _decode_frames_first,
    "AutoencoderOpenSora": _decode_opensora,
}  # by class; all of these begin a video with a latent frame that stands for one frame
