"""Peak signal-to-noise ratio, in the two ways the field reports it. Higher is better."""

import math

from torch import Tensor

from navicache.evaluation.frames import Clip, Device, checked_pair, per_frame

CAP = 100.0  # decibels; identical frames would score infinity, and one of them would swallow every mean


def psnr(reference: Clip, video: Clip, device: Device = None) -> float:
    """Mean over the frames of each frame's decibels, as TeaCache, MagCache and VideoSys report it.

    A frame scores at most `CAP`, which is what identical frames score.

    Example:
        >>> import numpy as np
        >>> black, grey = np.zeros((2, 16, 16, 3)), np.full((2, 16, 16, 3), 0.1)
        >>> round(psnr(black, grey), 3), psnr(black, black)
        (20.0, 100.0)
    """
    return mean_decibels(frame_errors(reference, video, device))


def psnr_pooled(reference: Clip, video: Clip, device: Device = None) -> float:
    """Decibels of one squared error over the whole clip, as EasyCache reports it; at most `CAP`.

    Never above `psnr` while no frame meets the cap, and far below it where a few frames are much worse than the rest.

    Example:
        >>> import numpy as np
        >>> black, half = np.zeros((2, 16, 16, 3)), np.zeros((2, 16, 16, 3))
        >>> half[1] = 0.1
        >>> round(psnr_pooled(black, half), 2), round(psnr(black, half), 2)
        (23.01, 60.0)
    """
    return decibels(frame_errors(reference, video, device).mean().item())


def frame_errors(reference: Clip, video: Clip, device: Device = None) -> Tensor:
    """Mean squared error of each frame, all three channels together, for values in [0, 1]."""
    return per_frame(squared_error, checked_pair(reference, video), "PSNR", device)


def squared_error(first: Tensor, second: Tensor) -> Tensor:
    """Mean squared error of each frame of a chunk."""
    return (first - second).square().mean((1, 2, 3))


def mean_decibels(errors: Tensor) -> float:
    """Mean of the decibels of each frame."""
    scores = [decibels(error) for error in errors.tolist()]
    return math.fsum(scores) / len(scores)


def decibels(error: float) -> float:
    """-10 log10(error), at most `CAP`.

    Example:
        >>> decibels(0.01), decibels(0.0)
        (20.0, 100.0)
    """
    return min(CAP, -10 * math.log10(error)) if error > 0 else CAP
