"""Every metric of one video against its reference."""

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from navicache.evaluation.flicker import flickering
from navicache.evaluation.frames import Clip, Device, validate_clip_pair
from navicache.evaluation.perceptual import LpipsUnavailable, lpips
from navicache.evaluation.psnr import convert_to_decibels, measure_frame_mse, average_decibels
from navicache.evaluation.similarity import ssim

METRICS = ("psnr", "ssim", "lpips", "flickering")


@dataclass(frozen=True)
class Comparison:
    """How near a video is to its reference; `docs/metrics.md` defines each figure."""

    psnr: float  # decibels, mean over the frames
    psnr_pooled: float  # decibels of the whole clip's squared error
    ssim: float
    lpips: float | None
    lpips_missing: str | None  # why lpips is None
    flickering: float
    flickering_reference: float

    def to_dict(self) -> dict[str, float | str | None]:
        """Plain values, for JSON."""
        return asdict(self)


def compare(reference: Clip, video: Clip, *, weights: Path | None = None, device: Device = None) -> Comparison:
    """Score `video`, as (frames, height, width, 3) of floats in [0, 1] or uint8, against `reference`.

    LPIPS without its weights, or on frames too small for it, is None with the reason; every other trouble is an error.

    Example:
        >>> import numpy as np
        >>> still = np.full((2, 16, 16, 3), 0.5)
        >>> scores = compare(still, still)
        >>> scores.psnr, scores.flickering, scores.lpips
        (100.0, 1.0, None)
        >>> scores.lpips_missing
        'LPIPS needs frames of at least 31x31 pixels, got 16x16'
    """
    return Comparison(**measure(reference, video, METRICS, weights=weights, device=device))


def measure(
    reference: Clip, video: Clip, metrics: Collection[str], *, weights: Path | None = None, device: Device = None
) -> dict[str, Any]:
    """Some of the figures of `compare`, those of these metrics, by name.

    Example:
        >>> import numpy as np
        >>> still = np.full((2, 16, 16, 3), 0.5)
        >>> measure(still, still, ["psnr"])
        {'psnr': 100.0, 'psnr_pooled': 100.0}
    """
    validate_clip_pair(reference, video)  # before flickering, which would call either of them "video"
    ways: dict[str, Callable[[], dict[str, Any]]] = {
        "psnr": lambda: _psnr(reference, video, device),
        "ssim": lambda: {"ssim": ssim(reference, video, device)},
        "lpips": lambda: _lpips_or_reason(reference, video, weights, device),
        "flickering": lambda: {
            "flickering": flickering(video, device),
            "flickering_reference": flickering(reference, device),
        },
    }
    return {name: value for metric in metrics for name, value in ways[metric]().items()}


def _psnr(reference: Clip, video: Clip, device: Device) -> dict[str, Any]:
    errors = measure_frame_mse(reference, video, device)
    return {"psnr": average_decibels(errors), "psnr_pooled": convert_to_decibels(errors.mean().item())}


def _lpips_or_reason(reference: Clip, video: Clip, weights: Path | None, device: Device) -> dict[str, Any]:
    try:
        return {"lpips": lpips(reference, video, weights, device), "lpips_missing": None}
    except LpipsUnavailable as error:
        return {"lpips": None, "lpips_missing": str(error)}
