"""Compare a sound with its reference: signal-to-noise ratio and log-spectral distance."""

import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from navicache.evaluation.psnr import MAX_DECIBELS

WINDOW, HOP = 2048, 512  # samples, as in published log-spectral distances
FLOOR_DECIBELS = -80.0  # below a sine of full scale; quieter parts of the spectrum count as equal


class Sound(NamedTuple):
    """A waveform: (channels, samples) of floats, full scale is [-1, 1], and its samples per second."""

    samples: np.ndarray
    rate: int


def audio_snr(reference: Sound, sound: Sound) -> float:
    """Decibels of the reference's energy over that of the difference, all channels together. Higher is better.

    Between -`MAX_DECIBELS`, for sound where the reference is silent, and `MAX_DECIBELS`, for equal sounds.

    Example:
        >>> ones = np.ones((1, 100))
        >>> round(audio_snr(Sound(ones, 8000), Sound(0.9 * ones, 8000)), 6)
        20.0
    """
    first, second = validate_sound_pair(reference, sound)
    energy, difference = first.square().sum().item(), (first - second).square().sum().item()
    if not difference:
        return MAX_DECIBELS
    ratio = 10 * math.log10(energy / difference) if energy else -MAX_DECIBELS
    return min(MAX_DECIBELS, max(-MAX_DECIBELS, ratio))


def log_spectral_distance(reference: Sound, sound: Sound) -> float:
    """Root mean square difference of the log power spectra in decibels, mean over windows. Lower is better.

    It does not see phase. `docs/metrics.md` has the definition.

    Example:
        >>> noise = np.random.default_rng(0).uniform(-0.5, 0.5, (1, 8000))
        >>> round(log_spectral_distance(Sound(noise, 8000), Sound(0.5 * noise, 8000)), 2)
        6.02
    """
    first, second = map(measure_log_spectrum, validate_sound_pair(reference, sound))
    return (first - second).square().mean(dim=1).sqrt().mean().item()


def measure_sound(reference: Sound, sound: Sound) -> dict[str, float]:
    """Both figures by name."""
    return {name: measure(reference, sound) for name, measure in SOUND_SCORES.items()}


def validate_sound_pair(reference: Sound, sound: Sound) -> tuple[Tensor, Tensor]:
    """Return both waveforms in double precision; raise an error if they cannot be compared."""
    if reference.rate != sound.rate:
        raise ValueError(f"the reference has {reference.rate} samples a second and the sound {sound.rate}: resample it")
    first, second = _validate_samples(reference, "reference"), _validate_samples(sound, "sound")
    if first.shape != second.shape:
        sizes = (f"{channels} channels of {samples} samples" for channels, samples in (first.shape, second.shape))
        raise ValueError("the reference is {} and the sound {}: cut or mix them to the same".format(*sizes))
    return first, second


def _validate_samples(sound: Sound, name: str) -> Tensor:
    samples = torch.from_numpy(np.asarray(sound.samples, dtype=np.float64))
    if samples.ndim != 2:
        raise ValueError(f"the samples of the {name} must be (channels, samples), got {tuple(samples.shape)}")
    if not samples.numel():
        raise ValueError(f"the {name} holds no sound: its shape is {tuple(samples.shape)}")
    if not samples.isfinite().all():
        raise ValueError(f"the {name} holds NaN or infinite samples: no score would mean anything")
    return samples


def measure_log_spectrum(samples: Tensor) -> Tensor:
    """Power of each window in decibels, (channels, bins, windows); a sine of full scale has 0 in its bin."""
    window = torch.hann_window(WINDOW, dtype=samples.dtype)
    settings = {"hop_length": HOP, "window": window, "center": True, "pad_mode": "constant", "return_complex": True}
    power = (torch.stft(samples, WINDOW, **settings).abs() / (window.sum() / 2)).square()
    return 10 * power.clamp(min=10 ** (FLOOR_DECIBELS / 10)).log10()


SOUND_SCORES = {"audio_snr": audio_snr, "log_spectral_distance": log_spectral_distance}
