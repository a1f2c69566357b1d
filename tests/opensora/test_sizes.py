"""Resolutions and lengths against the reference, and what they refuse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.opensora.common import table

from navicache_opensora.sizes import compute_latent_size, load_tables, look_up_size, parse_num_frames


def test_resolutions() -> None:
    expected = table("resolution_tables")
    assert load_tables() == {name: value for name, value in expected.items() if name != "note"}
    for resolution, sizes in expected["tables_h_w"].items():
        for ratio, key in expected["aspect_ratio_keys"].items():
            if key in sizes:
                assert look_up_size(resolution, ratio) == tuple(sizes[key])
            else:
                with pytest.raises(ValueError, match=f"'{resolution}' has no aspect ratio"):
                    look_up_size(resolution, ratio)
    assert all(parse_num_frames(name) == frames for name, frames in expected["num_frames"].items())


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match=r"unknown aspect ratio \(height:width\) '7:5'; known: 3:8"):
        look_up_size("480p", "7:5")
    with pytest.raises(ValueError, match="unknown resolution '500p'; known: 4k"):
        look_up_size("500p", "1:1")
    with pytest.raises(ValueError, match="unknown length '3s'"):
        parse_num_frames("3s")
    with pytest.raises(ValueError, match="must be a whole number"):
        parse_num_frames(20.5)  # pyright: ignore[reportArgumentType]


@given(st.integers(-3, 16).filter(lambda frames: frames != 1))
def test_short_videos_are_refused(frames: int) -> None:
    with pytest.raises(ValueError, match=f"at least 17, got {frames}"):
        parse_num_frames(frames)


def test_latent_sizes() -> None:
    for name, size in table("latent_sizes").items():
        frames, height, width = map(int, name.split("x"))
        assert compute_latent_size(frames, height, width) == tuple(size)
