"""Write frames to video and image files that every browser shows."""

import io
import os
from typing import BinaryIO

import numpy as np
from PIL import Image

from navicache.records import open_atomic_file


def save_video(frames: np.ndarray, path: str | os.PathLike[str], fps: int = 8) -> None:
    """Write (frames, height, width, 3) of floats in [0, 1] as H.264; sizes must be even.

    Example:
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "grey.mp4"
        >>> save_video(np.full((4, 32, 32, 3), 0.5), path)
        >>> path.stat().st_size > 0
        True
    """
    check_frames(frames)  # before a file is begun
    with open_atomic_file(path) as file:
        write_video(frames, file, fps)


def encode_video(frames: np.ndarray, fps: int = 8) -> bytes:
    """The same video in memory."""
    check_frames(frames)
    buffer = io.BytesIO()
    write_video(frames, buffer, fps)
    return buffer.getvalue()


def check_frames(frames: np.ndarray) -> None:
    """Refuse frames that H.264 cannot encode."""
    if frames.ndim != 4 or frames.shape[-1] != 3 or frames.shape[1] % 2 or frames.shape[2] % 2:
        raise ValueError(f"frames must be (frames, even height, even width, 3), got {frames.shape}")


def write_video(frames: np.ndarray, file: BinaryIO, fps: int) -> None:
    """Encode into an open file."""
    import av  # here: who writes no video does not need it

    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.height, stream.width, stream.pix_fmt = frames.shape[1], frames.shape[2], "yuv420p"
        # One thread: starting one for every core takes longer than a short video, and the bytes depend on no machine.
        stream.options = {"crf": "16", "preset": "veryfast", "threads": "1"}
        for image in frames:  # one by one: all bytes together would be another long video in memory
            container.mux(stream.encode(av.VideoFrame.from_ndarray(to_uint8(image), format="rgb24")))
        container.mux(stream.encode())


def save_image(frame: np.ndarray, path: str | os.PathLike[str]) -> None:
    """Write (height, width, 3) of floats in [0, 1] as PNG."""
    with open_atomic_file(path) as file:
        Image.fromarray(to_uint8(frame)).save(file, format="PNG")


def to_uint8(frames: np.ndarray) -> np.ndarray:
    """Floats in [0, 1] as uint8."""
    return (np.clip(frames, 0, 1) * 255).round().astype(np.uint8)
