"""Frames come back from their files."""

import av
import numpy as np
import pytest
from PIL import Image

from navicache.report.video import save_image, save_video


def test_a_video_has_its_frames_size_and_speed(tmp_path):
    frames = np.linspace(0, 1, 6)[:, None, None, None] * np.ones((6, 32, 48, 3))
    save_video(frames, tmp_path / "a.mp4", fps=12)
    with av.open(str(tmp_path / "a.mp4")) as video:
        assert video.streams.video[0].average_rate == 12
        read = np.stack([frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)])
    assert np.abs(read / 255 - frames).max() < 0.03


def test_an_image_is_kept_to_the_byte(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    save_image(pixels / 255, tmp_path / "a.png")
    assert np.array_equal(np.asarray(Image.open(tmp_path / "a.png")), pixels)


def test_odd_sizes_are_refused(tmp_path):
    with pytest.raises(ValueError, match="even height"):
        save_video(np.zeros((2, 31, 32, 3)), tmp_path / "a.mp4")
    assert not list(tmp_path.iterdir())
