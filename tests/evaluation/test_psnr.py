"""PSNR: per frame and pooled, against scikit-image, torchmetrics and mental arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from skimage.metrics import peak_signal_noise_ratio
from tests.evaluation.clips import distorted, floats, noise, pairs, pan
from torch import from_numpy
from torchmetrics.functional.image import peak_signal_noise_ratio as torchmetrics_psnr

from navicache.evaluation import psnr, psnr_pooled
from navicache.evaluation.psnr import MAX_DECIBELS


@pytest.mark.parametrize("name", pairs())
def test_as_scikit_image_and_torchmetrics(name):
    reference, video = pairs()[name]
    frames = [peak_signal_noise_ratio(a, b, data_range=1) for a, b in zip(reference, video, strict=True)]
    assert psnr(reference, video) == pytest.approx(np.mean(frames), abs=1e-4)
    pooled = peak_signal_noise_ratio(reference, video, data_range=1)
    assert psnr_pooled(reference, video) == pytest.approx(pooled, abs=1e-4)
    other = torchmetrics_psnr(from_numpy(video), from_numpy(reference), data_range=1.0)
    assert psnr_pooled(reference, video) == pytest.approx(other.item(), abs=1e-3)


def test_bytes_do_not_wrap_around():
    black, white = np.zeros((2, 16, 16, 3), np.uint8), np.full((2, 16, 16, 3), 255, np.uint8)
    assert psnr(black, white) == psnr_pooled(black, white) == 0
    a, b = np.full((1, 16, 16, 3), 10, np.uint8), np.full((1, 16, 16, 3), 250, np.uint8)
    assert psnr(a, b) == pytest.approx(20 * np.log10(255 / 240), abs=1e-5)


def test_bytes_and_floats_agree_and_may_be_mixed():
    reference, video = pan("coffee"), pan("coffee")[::-1].copy()
    assert psnr(reference, video) == pytest.approx(psnr(floats(reference), floats(video)), abs=1e-5)
    assert psnr(reference, floats(video)) == pytest.approx(psnr(reference, video), abs=1e-5)
    assert psnr(reference, video) == pytest.approx(
        np.mean([peak_signal_noise_ratio(a, b) for a, b in zip(reference, video, strict=True)]), abs=1e-4
    )


def test_identical_frames_score_the_cap_and_one_of_them_does_not_hide_the_rest():
    clip = noise(2)
    assert psnr(clip, clip) == psnr_pooled(clip, clip) == MAX_DECIBELS == 100
    half = clip.copy()
    half[1] = np.clip(half[1] + 0.1, 0, 1)
    frame = peak_signal_noise_ratio(clip[1], half[1], data_range=1)
    assert psnr(clip, half) == pytest.approx((MAX_DECIBELS + frame) / 2, abs=1e-4)
    assert psnr_pooled(clip, half) == pytest.approx(frame + 10 * np.log10(2), abs=1e-4)
    assert psnr(clip, np.clip(clip, 1e-7, 1)) == MAX_DECIBELS, "beyond the cap is the cap"


@given(st.integers(0, 99), st.integers(1, 5), st.floats(0.01, 0.2))
def test_properties(seed, frames, strength):
    clip = 0.25 + noise(frames, 12, 12, seed) / 2
    grain = np.random.default_rng(seed).uniform(-strength, strength, clip.shape).astype(np.float32)
    near, far = clip + grain / 2, clip + grain
    assert psnr(clip, far) == psnr(far, clip)
    assert psnr_pooled(clip, far) <= psnr(clip, far) + 1e-6, "a mean of logarithms is at most the logarithm of the mean"
    assert psnr(clip, near) - psnr(clip, far) == pytest.approx(20 * np.log10(2), abs=1e-2)


def test_falls_with_distortion():
    clip = floats(pan())
    scores = [psnr(clip, distorted(clip, strength)) for strength in (0.01, 0.03, 0.1, 0.3)]
    assert scores == sorted(scores, reverse=True)
