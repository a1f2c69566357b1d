"""The output of the pipeline."""

from dataclasses import dataclass
from typing import Any

import PIL.Image
from diffusers.utils import BaseOutput
from torch import Tensor

from navicache_opensora.references import convert_to_uint8


@dataclass
class OpenSoraPipelineOutput(BaseOutput):
    """Generated videos; `frames[i]` is the i-th.

    Attributes:
        frames: lists of PIL images; or an array (batch, frames, height, width, 3) or a tensor
            (batch, frames, 3, height, width) in [0, 1]; or latents.
    """

    frames: Any


def format_frames(video: Tensor, output_type: str) -> Any:
    """Convert (batch, 3, frames, height, width) in [-1, 1] to "pil", "np" or "pt"."""
    if output_type == "pil":
        return [[PIL.Image.fromarray(frame) for frame in frames] for frames in convert_to_uint8(video).cpu().numpy()]
    frames = (video.float().clamp(-1, 1).add(1) / 2).transpose(1, 2)
    return frames if output_type == "pt" else frames.movedim(2, -1).cpu().numpy()
