"""SSIM, against scikit-image with the same window and against torchmetrics' accumulator."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.metrics import structural_similarity
from tests.evaluation.clips import distorted, floats, noise, pairs, pan
from torchmetrics.image import StructuralSimilarityIndexMeasure

from navicache.evaluation import ssim


@pytest.mark.parametrize("name", pairs())
def test_as_scikit_image(name):
    reference, video = pairs()[name]
    options = {"data_range": 1, "channel_axis": -1, "gaussian_weights": True, "sigma": 1.5}
    frames = [
        structural_similarity(a.astype(float), b.astype(float), use_sample_covariance=False, **options)
        for a, b in zip(reference, video, strict=True)
    ]
    assert ssim(reference, video) == pytest.approx(np.mean(frames), abs=2e-5)


def test_as_torchmetrics_but_for_the_border():
    clip = floats(pan("coffee", height=200, width=300))
    reference, video = torch.from_numpy(clip), torch.from_numpy(distorted(clip, 0.05))
    metric = StructuralSimilarityIndexMeasure(data_range=1.0)  # counts a mirrored border too: near, not equal
    metric.update(video.movedim(-1, 1), reference.movedim(-1, 1))
    assert ssim(reference, video) == pytest.approx(metric.compute().item(), abs=5e-3)


def test_bytes_and_floats_agree():
    reference, video = pan("coffee"), pan("coffee")[::-1]
    assert ssim(reference, video) == pytest.approx(ssim(floats(reference), floats(video)), abs=1e-6)


def test_half_precision_is_for_keeping_not_for_counting():
    reference, video = (clip.astype(np.float16) for clip in pairs()["coffee, grain"])
    expected = ssim(reference.astype(np.float32), video.astype(np.float32))
    assert ssim(reference, video) == pytest.approx(expected, abs=1e-6)


@settings(deadline=None)  # the first example pays for an import
@given(st.integers(0, 99), st.integers(1, 3), st.integers(11, 20), st.integers(11, 20))
def test_properties(seed, frames, height, width):
    a, b = noise(frames, height, width, seed), noise(frames, height, width, seed + 1)
    assert ssim(a, a) == pytest.approx(1, abs=1e-6)
    assert -1 <= ssim(a, b) < 0.5
    assert ssim(a, b) == pytest.approx(ssim(b, a), abs=1e-6)
    assert ssim(a[:, ::-1], b[:, ::-1]) == pytest.approx(ssim(a, b), abs=1e-5)


def test_falls_with_distortion():
    clip = floats(pan())
    scores = [ssim(clip, distorted(clip, strength)) for strength in (0.01, 0.03, 0.1, 0.3)]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("shape", [(1, 10, 20, 3), (1, 20, 10, 3)])
def test_frames_smaller_than_the_window_are_refused(shape):
    with pytest.raises(ValueError, match="at least 11x11 pixels, got"):
        ssim(np.zeros(shape), np.zeros(shape))
