"""Videos to score: random ones, and photographs seen through a moving window."""

import numpy as np
from skimage import data


def noise(frames=3, height=24, width=32, seed=0):
    return np.random.default_rng(seed).random((frames, height, width, 3), np.float32)


def pan(photograph="astronaut", frames=4, height=96, width=128):
    picture = getattr(data, photograph)()
    return np.stack([picture[40 + 2 * t : 40 + 2 * t + height, 60 + 3 * t : 60 + 3 * t + width] for t in range(frames)])


def floats(clip):
    return (clip / 255).astype(np.float32)


def distorted(clip, strength, seed=1):
    """A float clip with Gaussian noise on it, within [0, 1]."""
    grain = np.random.default_rng(seed).normal(0, strength, clip.shape)
    return np.clip(clip + grain, 0, 1).astype(np.float32)


def pairs():
    """(reference, video) by name: random and real, near and far."""
    random, coffee, cat = noise(), floats(pan("coffee")), floats(pan("chelsea"))
    return {
        "random": (random, noise(seed=1)),
        "random, near": (random, distorted(random, 0.01)),
        "coffee, grain": (coffee, distorted(coffee, 0.05)),
        "cat, late by a frame": (cat[:-1], cat[1:]),
        "cat, darker": (cat, cat * np.float32(0.8)),
    }
