"""Panels stand where they should, under a name that can be read."""

import numpy as np
import pytest

from navicache.report.side_by_side import GAP, LEAST_WIDTH, STRIP, amplify_difference, join_panels


def clip(level: float, width: int = 300, height: int = 20) -> np.ndarray:
    return np.full((2, height, width, 3), level, dtype=np.float32)


def test_panels_keep_their_order_and_their_pixels():
    frames = join_panels({"one": clip(0.25), "two": clip(0.75)})
    assert frames.shape == (2, STRIP + 20, 2 * 300 + GAP, 3)
    assert (frames[:, STRIP:, :300] == 0.25).all()
    assert (frames[:, STRIP:, 300 + GAP :] == 0.75).all()


def test_small_frames_are_enlarged_pixel_by_pixel():
    frames = clip(0.0, width=100)
    frames[:, 3, 7] = 1.0
    together = join_panels({"one": frames})
    assert together.shape[2] == 300 >= LEAST_WIDTH
    lit = together[0, STRIP:, :, 0] == 1.0
    assert lit.sum() == 9
    assert lit[9:12, 21:24].all()


@pytest.mark.parametrize("name", ["no cache", "a name much too long for a panel of this width " * 3])
def test_names_stand_in_the_strip(name):
    strip = join_panels({name: clip(0.5), "": clip(0.5)})[:, :STRIP]
    named, bare = strip[:, :, :300], strip[:, :, 300 + GAP :]
    assert named.max() > 0.8
    assert bare.max() == bare.min() < 0.2
    assert named[:, :, :5].max() < 0.2, "there is a margin"


def test_longer_names_have_smaller_letters():
    def height(name):
        strip = join_panels({name: clip(0.5)})[0, :STRIP, :, 0]
        return (strip > 0.3).any(axis=1).sum()

    assert height("H" * 40) < height("H" * 5)


def test_the_difference_is_absolute_amplified_and_cut():
    first, second = clip(0.5), clip(0.5)
    second[:, 0], second[:, 1], second[:, 2] = 0.6, 0.4, 1.0
    found = amplify_difference(first, second, amplified=4.0)
    assert found[:, :2] == pytest.approx(0.4)
    assert (found[:, 2] == 1.0).all()
    assert (found[:, 3:] == 0.0).all()
