"""What a clip may be, and that it does not matter how many frames are scored at once."""

import numpy as np
import pytest
import torch
from tests.evaluation.clips import distorted, floats, noise, pan

from navicache.evaluation import compare, flickering, frames, psnr, psnr_pooled, ssim

CLIP = noise(3, 16, 16)


def figures(comparison):
    return {name: value for name, value in comparison.to_dict().items() if not name.startswith("lpips")}


def with_value(value):
    clip = CLIP.copy()
    clip[1, 2, 3, 0] = value
    return clip


@pytest.mark.parametrize(
    ("clip", "error", "advice"),
    [
        (CLIP[0], ValueError, r"give a single frame as frame\[None\]"),
        (CLIP[..., :1], ValueError, r"\(frames, height, width, 3\), got \(3, 16, 16, 1\)"),
        (CLIP.transpose(0, 3, 1, 2), ValueError, r"got \(3, 3, 16, 16\)"),
        (CLIP[:0], ValueError, "is empty"),
        (CLIP[:, :0], ValueError, "is empty"),
        (with_value(np.nan), ValueError, "holds NaN"),
        (with_value(np.inf), ValueError, "to inf"),
        (with_value(-0.5), ValueError, "clip"),
        (CLIP * 255, ValueError, "divide by the peak"),
        (CLIP.astype(np.int64), TypeError, "or uint8, got int64"),
        (CLIP > 0.5, TypeError, "got bool"),
        (torch.zeros(3, 16, 16, 3, dtype=torch.int16), TypeError, "got torch.int16"),
        ([["a"]], TypeError, "floats in"),
    ],
)
@pytest.mark.parametrize("metric", [psnr, psnr_pooled, ssim, compare])
def test_clips_that_mean_nothing_are_refused(clip, error, advice, metric):
    with pytest.raises(error, match=advice) as first:
        metric(clip, CLIP)
    with pytest.raises(error, match=advice) as second:
        metric(CLIP, clip)
    assert str(first.value).startswith("reference")
    assert str(second.value).startswith("video")


@pytest.mark.parametrize("other", [CLIP[:2], CLIP[:, :12], CLIP[:, :, :12]])
@pytest.mark.parametrize("metric", [psnr, psnr_pooled, ssim, compare])
def test_clips_of_different_shapes_are_refused(metric, other):
    with pytest.raises(ValueError, match="cut or resize"):
        metric(CLIP, other)


def test_a_single_frame_can_be_scored_but_not_for_flickering():
    assert psnr(CLIP[:1], CLIP[1:2]) > 0
    with pytest.raises(ValueError, match="at least two"):
        compare(CLIP[:1], CLIP[:1])


def test_every_kind_of_array_is_the_same_clip():
    bytes_ = pan(frames=3, height=32, width=40)
    read_only = bytes_.copy()
    read_only.flags.writeable = False
    other = 255 - bytes_
    expected = psnr(bytes_, other)
    for same in (read_only, torch.from_numpy(bytes_), np.asfortranarray(bytes_), bytes_[::-1].copy()[::-1]):
        assert psnr(same, other) == expected
    for dtype in (np.float16, np.float32, np.float64):
        assert psnr((bytes_ / 255).astype(dtype), other) == pytest.approx(expected, abs=1e-3)
    assert psnr(torch.from_numpy(floats(bytes_)).bfloat16(), other) == pytest.approx(expected, abs=0.1)
    assert psnr(torch.from_numpy(floats(bytes_)).requires_grad_(), other) == pytest.approx(expected, abs=1e-5)


def test_inputs_are_left_as_they_are():
    clip, video = CLIP.copy(), distorted(CLIP, 0.1)
    kept = video.copy()
    compare(clip, video)
    assert np.array_equal(clip, CLIP) and np.array_equal(video, kept)


@pytest.mark.parametrize("pixels", [1, 16 * 16 * 2, 16 * 16 * 5, 10**9])
def test_chunks_do_not_change_a_score(monkeypatch, pixels):
    clip, video = noise(7, 16, 16), distorted(noise(7, 16, 16), 0.1)
    whole = figures(compare(clip, video))
    monkeypatch.setattr(frames, "CHUNK_PIXELS", pixels)
    assert figures(compare(clip, video)) == pytest.approx(whole, rel=1e-6)
    assert flickering(clip) == pytest.approx(whole["flickering_reference"], rel=1e-6)


def test_the_callers_autocast_rounds_nothing():
    video = distorted(CLIP, 0.01)
    expected = ssim(CLIP, video)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert ssim(CLIP, video) == expected


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_the_same():
    clip, video = floats(pan()), distorted(floats(pan()), 0.05)
    expected = figures(compare(clip, video))
    assert figures(compare(torch.from_numpy(clip).cuda(), video)) == pytest.approx(expected, abs=1e-4)
    assert figures(compare(clip, video, device="cuda")) == pytest.approx(expected, abs=1e-4)
