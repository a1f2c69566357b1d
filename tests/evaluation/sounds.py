"""Waveforms to measure: tones and noise, the same ones every time."""

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
