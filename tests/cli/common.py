"""What the tests of the command line share."""

from pathlib import Path

import av
import numpy as np

SMALL = ("--frames", "5", "--height", "32", "--width", "48", "--steps", "8")
STATIC = ("--policy", "static")  # decides by the step alone, so every machine agrees


def decoded(path: Path) -> np.ndarray:
    """The frames of a video as bytes."""
    with av.open(str(path)) as video:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)])
