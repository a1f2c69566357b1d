"""The sound that a pipeline returns beside its videos."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from navicache.evaluation.sound import Sound

# By class of the vocoder: which part's configuration has the samples per second, and under which name.
RATES = {
    "LTX2Vocoder": ("vocoder", "output_sampling_rate"),
    "LTX2VocoderWithBWE": ("vocoder", "output_sampling_rate"),
    "MMAudioVocoder": ("audio_vae", "sample_rate"),
}


def find_sound_rate(pipe: Any) -> int | None:
    """Samples per second of a pipeline's sound; None if it makes none, or is not known to."""
    found = RATES.get(type(pipe.components.get("vocoder")).__name__)
    return None if found is None else pipe.components[found[0]].config[found[1]]


def split_sounds(pipe: Any, output: Sequence[Any]) -> list[Sound] | None:
    """The sound of each sample of what a pipeline returned as a tuple; None if there is none."""
    rate = find_sound_rate(pipe)
    return None if rate is None or output[1] is None else [_read_waveform(samples, rate) for samples in output[1]]


def pair_sounds(reference: Sound | None, made: Sound | None) -> tuple[Sound, Sound] | None:
    """Both sounds, for the metrics; None for a pipeline without sound."""
    return None if reference is None or made is None else (reference, made)


def _read_waveform(samples: Any, rate: int) -> Sound:
    """From (channels, samples) or, for one channel, (samples), as a tensor or an array."""
    return Sound(np.atleast_2d(torch.as_tensor(samples).float().cpu().numpy()), rate)
