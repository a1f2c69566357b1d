"""Structural similarity (Wang et al., 2004). Higher is better, 1 for identical clips."""

from torch import Tensor

from navicache.evaluation.frames import Clip, Device, score_frames, validate_clip_pair

WINDOW_SIZE = 11  # pixels of the Gaussian window, sigma 1.5: the authors' choice and that of the published tables


def ssim(reference: Clip, video: Clip, device: Device = None) -> float:
    """Mean over the frames and colour channels; only windows inside the frame count.

    Example:
        >>> import numpy as np
        >>> ramp = np.tile(np.linspace(0, 1, 16)[None, None, :, None], (2, 16, 1, 3))
        >>> round(ssim(ramp, ramp), 4), round(ssim(ramp, 1 - ramp), 4) < 0
        (1.0, True)
    """
    pair = validate_clip_pair(reference, video)
    height, width = pair[0].shape[1:3]
    if min(height, width) < WINDOW_SIZE:
        raise ValueError(f"SSIM needs frames of at least {WINDOW_SIZE}x{WINDOW_SIZE} pixels, got {height}x{width}")
    return score_frames(measure_frame_ssim, pair, "SSIM", device).mean().item()


def measure_frame_ssim(first: Tensor, second: Tensor) -> Tensor:
    """SSIM of each frame of a chunk."""
    # imported here because it takes seconds and loads many packages
    from torchmetrics.functional.image import structural_similarity_index_measure

    _, places = structural_similarity_index_measure(second, first, data_range=1.0, return_full_image=True)
    border = WINDOW_SIZE // 2  # torchmetrics' mean includes windows that reach into its mirrored border
    return places[..., border:-border, border:-border].mean((1, 2, 3))
