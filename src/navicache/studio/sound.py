"""The sound of a result, sample by sample; the player of the videos plays it with them."""

import io
import wave

import numpy as np

from navicache.generation.media import Media
from navicache.studio.pictures import to_base64


def sound_html(media: Media, name: str) -> str:
    """An audio element without controls, under the name that the player offers; nothing for a model without sound."""
    if media.sound is None:
        return ""
    data = to_base64(encode_wave(*media.sound))
    return f'<audio class="nv-sound" data-name="{name}" src="data:audio/wav;base64,{data}"></audio>'


def encode_wave(samples: np.ndarray, rate: int) -> bytes:
    """Samples (channels, samples) of floats in [-1, 1] as 16-bit PCM.

    Example:
        >>> encode_wave(np.zeros((2, 100)), 8000)[:4]
        b'RIFF'
    """
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((len(samples), 2, rate, 0, "NONE", ""))
        file.writeframes((np.clip(samples, -1, 1).T * 32767).round().astype("<i2").tobytes())
    return buffer.getvalue()
