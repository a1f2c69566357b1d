"""Every metric of one video and its sound against their reference."""

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from navicache.evaluation.flicker import flickering
from navicache.evaluation.frames import Clip, Device, validate_clip_pair
from navicache.evaluation.perceptual import LpipsUnavailable, lpips
from navicache.evaluation.psnr import average_decibels, convert_to_decibels, measure_frame_mse
from navicache.evaluation.similarity import ssim
from navicache.evaluation.sound import SOUND_SCORES, Sound, measure_sound

SoundPair = tuple[Sound, Sound]  # of the reference and of the video


@dataclass(frozen=True)
class Comparison:
    """The scores of a video against its reference; `docs/metrics.md` defines each."""

    psnr: float  # decibels, mean over the frames
    psnr_pooled: float  # decibels of the whole clip's squared error
    ssim: float
    lpips: float | None
    lpips_missing: str | None  # why lpips is None
    flickering: float
    flickering_reference: float
    audio_snr: float | None = None  # decibels; both are None without sound
    log_spectral_distance: float | None = None

    def to_dict(self) -> dict[str, float | str | None]:
        """Plain values, for JSON; without sound its figures are left out."""
        return {name: value for name, value in asdict(self).items() if value is not None or name not in SOUND_SCORES}


class MetricOptions(NamedTuple):
    """The file of the LPIPS weights (None: the pocket package), the device to measure on, and both sounds."""

    weights: Path | None
    device: Device
    sounds: SoundPair | None


def compare(
    reference: Clip,
    video: Clip,
    *,
    weights: Path | None = None,
    device: Device = None,
    sounds: SoundPair | None = None,
) -> Comparison:
    """Score `video`, as (frames, height, width, 3) of floats in [0, 1] or uint8, against `reference`.

    `sounds` are those of the reference and of the video. LPIPS is None, with the reason, if its weights are missing or
    the frames are too small; other problems are errors.

    Example:
        >>> import numpy as np
        >>> still = np.full((2, 16, 16, 3), 0.5)
        >>> scores = compare(still, still)
        >>> scores.psnr, scores.flickering, scores.lpips
        (100.0, 1.0, None)
        >>> scores.lpips_missing
        'LPIPS needs frames of at least 31x31 pixels, got 16x16'
    """
    return Comparison(**measure(reference, video, METRICS, weights=weights, device=device, sounds=sounds))


def measure(
    reference: Clip,
    video: Clip,
    metrics: Collection[str],
    *,
    weights: Path | None = None,
    device: Device = None,
    sounds: SoundPair | None = None,
) -> dict[str, Any]:
    """Measure only these metrics; returns fields of `Comparison` by name.

    Example:
        >>> import numpy as np
        >>> still = np.full((2, 16, 16, 3), 0.5)
        >>> measure(still, still, ["psnr"])
        {'psnr': 100.0, 'psnr_pooled': 100.0}
    """
    validate_clip_pair(reference, video)  # before flickering, which would call either of them "video"
    options = MetricOptions(weights, device, sounds)
    return {name: value for metric in metrics for name, value in METRICS[metric](reference, video, options).items()}


def _measure_psnr(reference: Clip, video: Clip, options: MetricOptions) -> dict[str, Any]:
    errors = measure_frame_mse(reference, video, options.device)
    return {"psnr": average_decibels(errors), "psnr_pooled": convert_to_decibels(errors.mean().item())}


def _measure_ssim(reference: Clip, video: Clip, options: MetricOptions) -> dict[str, Any]:
    return {"ssim": ssim(reference, video, options.device)}


def _measure_lpips(reference: Clip, video: Clip, options: MetricOptions) -> dict[str, Any]:
    """The distance, or the reason why it cannot be measured."""
    try:
        return {"lpips": lpips(reference, video, options.weights, options.device), "lpips_missing": None}
    except LpipsUnavailable as error:
        return {"lpips": None, "lpips_missing": str(error)}


def _measure_flickering(reference: Clip, video: Clip, options: MetricOptions) -> dict[str, Any]:
    scores = {"flickering": video, "flickering_reference": reference}
    return {name: flickering(clip, options.device) for name, clip in scores.items()}


def _measure_audio(reference: Clip, video: Clip, options: MetricOptions) -> dict[str, Any]:
    """Nothing without sound."""
    return {} if options.sounds is None else measure_sound(*options.sounds)


# Every metric by the name that plans use: a function that returns fields of `Comparison`.
METRICS: dict[str, Callable[[Clip, Clip, MetricOptions], dict[str, Any]]] = {
    "psnr": _measure_psnr,
    "ssim": _measure_ssim,
    "lpips": _measure_lpips,
    "flickering": _measure_flickering,
    "audio": _measure_audio,
}
