"""Reference images and videos, resized to the size of the generated video."""

from typing import Any

import torch
from diffusers.image_processor import VaeImageProcessor
from torch import Tensor
from torch.nn import functional


def preprocess_reference(reference: Any, height: int, width: int) -> Tensor:
    """(1, 3, frames, height, width) in [-1, 1]: scaled to cover the size, then cropped around the centre.

    Args:
        reference: a PIL image or a list of them, an array (frames, height, width, 3) or a tensor
            (frames, 3, height, width), both of floats in [0, 1]; the first axis of a single image may be left out.
        height: in pixels.
        width: in pixels.
    """
    if "float" not in str(getattr(reference, "dtype", "float")):
        raise TypeError(f"a reference must hold floats in [0, 1], got {reference.dtype}: divide bytes by 255")
    processor = VaeImageProcessor(do_resize=False, do_convert_rgb=True)
    frames = processor.preprocess(reference).float()
    if frames.shape[1] != 3 or not bool(((frames >= -1.001) & (frames <= 1.001)).all()):
        low, high = (frames.min().item() + 1) / 2, (frames.max().item() + 1) / 2
        raise ValueError(
            f"a reference must have 3 channels of values in [0, 1], got {frames.shape[1]} in [{low:g}, {high:g}]"
        )
    return resize_and_crop(frames, height, width).transpose(0, 1)[None]


def resize_and_crop(frames: Tensor, height: int, width: int) -> Tensor:
    """Scale (frames, channels, height, width) until both sides are large enough, then crop around the centre."""
    scale = max(height / frames.shape[2], width / frames.shape[3])
    scaled = (max(height, round(frames.shape[2] * scale)), max(width, round(frames.shape[3] * scale)))
    if scaled != tuple(frames.shape[2:]):
        frames = functional.interpolate(frames, scaled, mode="bilinear", antialias=True, align_corners=False)
    top, left = (scaled[0] - height) // 2, (scaled[1] - width) // 2
    return frames[:, :, top : top + height, left : left + width].clamp(-1, 1)


def convert_to_uint8(video: Tensor) -> Tensor:
    """(batch, 3, frames, height, width) in [-1, 1] to uint8 (batch, frames, height, width, 3).

    Example:
        >>> convert_to_uint8(torch.tensor([-2.0, 0.0, 1.0]).view(1, 3, 1, 1, 1)).flatten().tolist()
        [0, 128, 255]
    """
    levels = (video.float().clamp(-1, 1) + 1) / 2 * 255 + 0.5
    return levels.clamp(0, 255).to(torch.uint8).permute(0, 2, 3, 4, 1)
