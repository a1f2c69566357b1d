"""Images, masks, videos and sound, by the name of the argument that takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import PIL.Image
import torch
from tests.tiny.zoo.parts import picture, video


def mask() -> PIL.Image.Image:
    """The left half, 64 by 64 pixels."""
    return PIL.Image.fromarray(np.repeat(np.array([[255] * 32 + [0] * 32], dtype=np.uint8), 64, axis=0))


def sound(samples: int = 4096) -> torch.Tensor:
    """Noise in two channels."""
    return torch.randn((1, 2, samples), generator=torch.Generator().manual_seed(0)) / 4


MEDIA: dict[str, Callable[[], Any]] = {
    "image": picture,
    "images": lambda: [picture()],
    "mask_image": mask,
    "mask": mask,
    "control_image": picture,
    "control_video": video,
    "video": video,
    "mask_video": lambda: [mask() for _ in range(9)],
    "conditioning_frames": lambda: [picture(seed) for seed in range(9)],
    "example_image": picture,
    "reference_image": picture,
    "ref_image": picture,
    "original_image": picture,
    "pose_video": video,
    "face_video": video,
}
