"""Temporal flickering as VBench defines it. Higher is better, 1 for a still video."""

from torch import Tensor

from navicache.evaluation.frames import Clip, Device, score_frames, validate_clip


def flickering(video: Clip, device: Device = None) -> float:
    """1 - mean |f_t - f_t+1| / 255 over all pairs of neighbouring frames, the frames as bytes.

    Floats in [0, 1] are not rounded to bytes first. The score needs no reference and rewards still videos: compare it
    with the reference's.

    Example:
        >>> import numpy as np
        >>> dark, light = np.zeros((8, 8, 3), np.uint8), np.full((8, 8, 3), 51, np.uint8)
        >>> round(flickering(np.stack([dark, light])), 6)
        0.8
    """
    frames = validate_clip(video)
    if len(frames) < 2:
        raise ValueError("flickering compares neighbouring frames: give a video of at least two, got one")
    return 1 - score_frames(measure_frame_difference, (frames[:-1], frames[1:]), "flickering", device).mean().item()


def measure_frame_difference(first: Tensor, second: Tensor) -> Tensor:
    """Mean absolute difference of each frame of a chunk."""
    return (first - second).abs().mean((1, 2, 3))
