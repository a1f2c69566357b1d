"""Videos and images, told apart in one place."""

from dataclasses import replace

import numpy as np
from PIL import Image
from tests.cli.common import decoded
from tests.evaluation.sounds import tone
from tests.support.takes import clip, image

from navicache.evaluation.sound_files import read_sound
from navicache.generation.media import split_samples


def test_names_and_endings():
    assert (clip().name, clip().suffix, image().name, image().suffix) == ("video", ".mp4", "image", ".png")


def test_an_image_is_a_still_video_to_the_metrics():
    assert image().clip.shape == (2, 32, 32, 3) and np.ptp(image(0.25).clip) == 0
    own = clip()
    assert own.clip is own.frames


def test_every_sample_is_read_in_single_precision():
    videos = split_samples(np.stack([np.zeros((3, 8, 8, 3)), np.ones((3, 8, 8, 3))]))
    assert [made.frames.mean() for made in videos] == [0.0, 1.0] and all(made.is_video for made in videos)
    (picture,) = split_samples([np.zeros((8, 8, 3))])
    assert not picture.is_video and picture.frames.shape == (1, 8, 8, 3) and picture.frames.dtype == np.float32


def test_files_hold_what_was_made(tmp_path):
    clip(0.5, frames=5).save(tmp_path / "a.mp4", fps=8)
    image(0.5).save(tmp_path / "a.png", fps=8)
    assert decoded(tmp_path / "a.mp4").shape == (5, 32, 32, 3)
    assert abs(decoded(tmp_path / "a.mp4").mean() - 127.5) < 3
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.size == (32, 32) and picture.getpixel((0, 0)) == (128, 128, 128)


def test_a_video_is_written_with_its_sound(tmp_path):
    replace(clip(0.5, frames=5), sound=tone()).save(tmp_path / "a.mp4", fps=8)
    found = read_sound(tmp_path / "a.mp4")
    assert found is not None and found.rate == tone().rate and decoded(tmp_path / "a.mp4").shape == (5, 32, 32, 3)
