"""Peak signal-to-noise ratio, in the two ways the field reports it. Higher is better."""

import math

from torch import Tensor

from navicache.evaluation.frames import Clip, Device, score_frames, validate_clip_pair

MAX_DECIBELS = 100.0  # identical frames would score infinity, and so would every mean with one of them


def psnr(reference: Clip, video: Clip, device: Device = None) -> float:
    """Mean over the frames of each frame's decibels, as TeaCache, MagCache and VideoSys report it.

    A frame scores at most `MAX_DECIBELS`; identical frames score that.

    Example:
        >>> import numpy as np
        >>> black, grey = np.zeros((2, 16, 16, 3)), np.full((2, 16, 16, 3), 0.1)
        >>> round(psnr(black, grey), 3), psnr(black, black)
        (20.0, 100.0)
    """
    return average_decibels(measure_frame_mse(reference, video, device))


def psnr_pooled(reference: Clip, video: Clip, device: Device = None) -> float:
    """Decibels of one squared error over the whole clip, as EasyCache reports it; at most `MAX_DECIBELS`.

    Not above `psnr` unless a frame reaches the maximum, and far below it if a few frames are much worse than others.

    Example:
        >>> import numpy as np
        >>> black, half = np.zeros((2, 16, 16, 3)), np.zeros((2, 16, 16, 3))
        >>> half[1] = 0.1
        >>> round(psnr_pooled(black, half), 2), round(psnr(black, half), 2)
        (23.01, 60.0)
    """
    return convert_to_decibels(measure_frame_mse(reference, video, device).mean().item())


def measure_frame_mse(reference: Clip, video: Clip, device: Device = None) -> Tensor:
    """Mean squared error of each frame, all three channels together, for values in [0, 1]."""
    return score_frames(compute_mse, validate_clip_pair(reference, video), "PSNR", device)


def compute_mse(first: Tensor, second: Tensor) -> Tensor:
    """Mean squared error of each frame of a chunk."""
    return (first - second).square().mean((1, 2, 3))


def average_decibels(frame_mses: Tensor) -> float:
    """Mean of the decibels of each frame."""
    scores = [convert_to_decibels(error) for error in frame_mses.tolist()]
    return math.fsum(scores) / len(scores)


def convert_to_decibels(mse: float) -> float:
    """-10 log10(error), at most `MAX_DECIBELS`.

    Example:
        >>> convert_to_decibels(0.01), convert_to_decibels(0.0)
        (20.0, 100.0)
    """
    return min(MAX_DECIBELS, -10 * math.log10(mse)) if mse > 0 else MAX_DECIBELS
