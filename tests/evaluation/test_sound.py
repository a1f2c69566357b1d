"""Audio SNR and log-spectral distance: against SciPy, loops over windows, and known answers."""

import cmath
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import stft
from tests.evaluation.sounds import RATE, hiss, mix, tone

from navicache.evaluation.sound import (
    HOP,
    WINDOW,
    Sound,
    audio_snr,
    log_spectral_distance,
    measure_log_spectrum,
    measure_sound,
)

PAIRS = {
    "a hiss on a tone": (tone(), mix(tone(), hiss(), 0.05)),
    "two hisses": (hiss(seed=1), hiss(seed=2)),
    "two tones": (tone(440), tone(470)),
    "shorter than a window": (tone(samples=700), mix(tone(samples=700), hiss(samples=700), 0.1)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_snr_as_written_out(name):
    reference, sound = PAIRS[name]
    pairs = list(zip(reference.samples.ravel(), sound.samples.ravel(), strict=True))
    energy, error = (math.fsum(values) for values in ([a * a for a, _ in pairs], [(a - b) ** 2 for a, b in pairs]))
    assert audio_snr(reference, sound) == pytest.approx(10 * math.log10(energy / error), abs=1e-9)


@pytest.mark.parametrize("name", PAIRS)
def test_distance_as_scipy_has_the_spectra(name):
    def levels(sound: Sound) -> np.ndarray:
        options = {"nperseg": WINDOW, "noverlap": WINDOW - HOP, "boundary": None, "padded": False}
        padded = np.pad(sound.samples, ((0, 0), (WINDOW // 2, WINDOW // 2)))
        spectra = stft(padded, window="hann", scaling="spectrum", **options)[2]  # a sine of 1 has magnitude 1/2 there
        return 20 * np.log10(np.maximum(2 * np.abs(spectra), 1e-4))

    first, second = map(levels, PAIRS[name])
    expected = np.sqrt(((first - second) ** 2).mean(axis=1)).mean()
    assert log_spectral_distance(*PAIRS[name]) == pytest.approx(expected, abs=1e-6)


def test_one_window_by_hand():
    """The middle one of a sound of one window, by the sum that defines the transform, at a few bins."""
    (samples, _), half = hiss(samples=WINDOW), WINDOW // 2
    window = [0.5 - 0.5 * math.cos(2 * math.pi * n / WINDOW) for n in range(WINDOW)]

    def level(values: np.ndarray, k: int) -> float:
        pairs = enumerate(zip(window, values, strict=True))
        terms = (w * x * cmath.exp(-2j * math.pi * k * n / WINDOW) for n, (w, x) in pairs)
        return 20 * math.log10(abs(sum(terms)) / (sum(window) / 2))

    found = measure_log_spectrum(torch.from_numpy(hiss(samples=WINDOW).samples))
    assert found.shape == (2, half + 1, WINDOW // HOP + 1)
    for k in (1, 100, 900):
        assert found[0, k, WINDOW // HOP // 2].item() == pytest.approx(level(samples[0], k), abs=1e-6)


def test_known_answers():
    assert measure_sound(tone(), tone()) == {"audio_snr": 100.0, "log_spectral_distance": 0.0}
    half = Sound(0.5 * hiss().samples, RATE)
    assert audio_snr(hiss(), half) == pytest.approx(20 * math.log10(2))
    assert log_spectral_distance(hiss(), half) == pytest.approx(20 * math.log10(2), abs=1e-3)
    flipped = Sound(-tone().samples, RATE)
    assert audio_snr(tone(), flipped) == pytest.approx(-20 * math.log10(2)), "the waveform counts, so phase does"
    assert log_spectral_distance(tone(), flipped) == 0, "the spectrum does not see it"


def test_silence():
    silent = Sound(np.zeros((2, 8000)), RATE)
    assert measure_sound(silent, silent) == {"audio_snr": 100.0, "log_spectral_distance": 0.0}
    assert audio_snr(silent, tone()) == -100 and audio_snr(tone(), silent) == 0
    faint = Sound(1e-5 * hiss().samples, RATE)
    assert log_spectral_distance(silent, faint) == 0, "below the floor"


@given(st.integers(0, 99), st.floats(0.01, 0.5), st.floats(0.1, 10))
def test_properties(seed, share, gain):
    reference, grain = tone(samples=3000), hiss(samples=3000, seed=seed)
    near, far = mix(reference, grain, share / 2), mix(reference, grain, share)
    assert audio_snr(reference, near) == pytest.approx(audio_snr(reference, far) + 20 * math.log10(2))
    louder = [Sound(gain * sound.samples, RATE) for sound in (reference, far)]
    assert audio_snr(*louder) == pytest.approx(audio_snr(reference, far)), "no gain of both changes it"
    assert log_spectral_distance(reference, far) == pytest.approx(log_spectral_distance(far, reference))


@pytest.mark.parametrize(
    ("reference", "sound", "said"),
    [
        (tone(), tone(rate=8000), "16000 samples a second and the sound 8000"),
        (tone(), tone(samples=7999), "2 channels of 8000 samples and the sound 2 channels of 7999"),
        (tone(), Sound(np.zeros((1, 8000)), RATE), "sound 1 channels"),
        (Sound(np.zeros(8000), RATE), tone(), "reference must be"),
        (tone(), Sound(np.full((2, 8000), np.nan), RATE), "sound holds NaN"),
        (Sound(np.zeros((2, 0)), RATE), tone(), "reference holds no sound"),
    ],
)
def test_what_cannot_be_compared(reference, sound, said):
    with pytest.raises(ValueError, match=said):
        audio_snr(reference, sound)
