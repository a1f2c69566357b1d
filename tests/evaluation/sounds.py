"""Waveforms to measure: tones and noise, the same ones every time."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import av
import numpy as np

from navicache.evaluation.sound import Sound

RATE = 16000


def tone(hertz: float = 440.0, amplitude: float = 0.5, samples: int = 8000, rate: int = RATE) -> Sound:
    """A sine, and its second channel an octave higher."""
    time = np.arange(samples) / rate
    return Sound(amplitude * np.sin(2 * np.pi * np.stack([hertz, 2 * hertz])[:, None] * time), rate)


def hiss(amplitude: float = 0.3, samples: int = 8000, seed: int = 0) -> Sound:
    """White noise in two channels."""
    return Sound(np.random.default_rng(seed).uniform(-amplitude, amplitude, (2, samples)), RATE)


def mix(first: Sound, second: Sound, share: float = 1.0) -> Sound:
    """The first with so much of the second."""
    return Sound(first.samples + share * second.samples, first.rate)


def write_sound(sound: Sound, path: Path, codec: str, coded: Mapping[str, str] | None = None, **options: str) -> None:
    """Encode the sound, with options of the codec and of the container."""
    layout = "stereo" if len(sound.samples) == 2 else "mono"
    with av.open(str(path), "w", options=options) as container:
        stream: Any = container.add_stream(codec, rate=sound.rate, layout=layout, options=dict(coded or {}))
        stream.codec_context.open(strict=False)  # its format and the length of its blocks are known then
        own = {"format": stream.codec_context.format, "frame_size": stream.codec_context.frame_size or None}
        blocks = av.AudioResampler(layout=layout, rate=sound.rate, **own)
        frame = av.AudioFrame.from_ndarray(sound.samples.astype(np.float32), format="fltp", layout=layout)
        frame.rate = sound.rate
        for part in [*blocks.resample(frame), *blocks.resample(None), None]:
            container.mux(stream.encode(part))
