"""Temporal flickering, against VBench's definition written out for bytes."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluation.clips import floats, noise, pan

from navicache.evaluation import flickering


def by_hand(frames):
    """(255 - mean over the pairs of the mean absolute difference in bytes) / 255."""
    differences = [np.abs(a.astype(int) - b.astype(int)).mean() for a, b in itertools.pairwise(frames)]
    return (255 - np.mean(differences)) / 255


@pytest.mark.parametrize("photograph", ["astronaut", "coffee", "chelsea"])
def test_as_defined_on_real_clips(photograph):
    clip = pan(photograph, frames=6)
    assert flickering(clip) == pytest.approx(by_hand(clip), abs=1e-6)
    assert flickering(floats(clip)) == pytest.approx(by_hand(clip), abs=1e-6)


@given(st.integers(0, 99), st.integers(2, 6))
def test_properties(seed, frames):
    clip = (noise(frames, 8, 9, seed) * 255).astype(np.uint8)
    score = flickering(clip)
    assert score == pytest.approx(by_hand(clip), abs=1e-6)
    assert 0 <= score <= 1
    assert flickering(clip[::-1]) == pytest.approx(score, abs=1e-6), "it does not know which way time runs"
    assert flickering(255 - clip) == pytest.approx(score, abs=1e-6)
    assert flickering(np.repeat(clip[:1], frames, 0)) == 1


def test_the_extremes():
    blinking = np.zeros((4, 8, 8, 3), np.uint8)
    blinking[1::2] = 255
    assert flickering(blinking) == 0
    assert flickering(np.zeros((2, 8, 8, 3))) == 1


def test_a_single_frame_has_no_flickering():
    with pytest.raises(ValueError, match="at least two"):
        flickering(np.zeros((1, 8, 8, 3)))
