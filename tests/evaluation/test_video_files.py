"""Videos out of files, and which is compared with which."""

import numpy as np
import pytest

from navicache.evaluation.video_files import list_videos, match_videos, read_video
from navicache.report.video import save_video


@pytest.fixture
def video(tmp_path):
    save_video(np.linspace(0, 1, 5)[:, None, None, None] * np.ones((5, 32, 48, 3)), tmp_path / "a.mp4")
    return tmp_path / "a.mp4"


def test_every_frame_is_read_as_bytes_in_order(video):
    frames = read_video(video)
    assert frames.shape == (5, 32, 48, 3) and frames.dtype == np.uint8
    assert np.diff(frames.mean((1, 2, 3))).min() > 50


def test_a_file_that_ends_in_the_middle_is_refused(video):
    whole = video.read_bytes()
    video.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"a\.mp4 (cannot be read as a video|is damaged)"):
        read_video(video)


@pytest.mark.parametrize(("content", "said"), [(None, "is no file"), (b"", "is empty"), (b"words", "cannot be read")])
def test_what_is_no_video_is_named(content, said, tmp_path):
    path = tmp_path / "b.mp4"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"b\.mp4 {said}"):
        read_video(path)


def folder(place, *names):
    place.mkdir()
    for name in names:
        (place / name).touch()
    return place


def test_other_files_are_passed_over_and_names_are_in_order(tmp_path):
    assert list_videos(folder(tmp_path / "a", "2.MP4", "1.gif", "notes.txt")) == ["1.gif", "2.MP4"]
    with pytest.raises(ValueError, match=r"b holds no video or sound file: looked for \.mp4, .*\.wav"):
        list_videos(folder(tmp_path / "b", "notes.txt"))


def test_namesakes_are_compared_and_a_missing_one_is_named_on_its_side(tmp_path):
    first, second = folder(tmp_path / "a", "1.mp4", "2.mp4"), folder(tmp_path / "b", "1.mp4", "2.mp4")
    assert match_videos(first, second) == [(name, first / name, second / name) for name in ("1.mp4", "2.mp4")]
    (first / "1.mp4").unlink()
    with pytest.raises(ValueError, match=r"a has no 1\.mp4: both folders"):
        match_videos(first, second)
    (first / "3.mp4").touch()
    with pytest.raises(ValueError, match=r"\(and 1 more\)"):
        match_videos(first, second)


def test_two_files_or_two_folders(tmp_path, video):
    assert match_videos(video, tmp_path / "other.mp4") == [("other.mp4", video, tmp_path / "other.mp4")]
    with pytest.raises(ValueError, match="one of each"):
        match_videos(tmp_path, video)
