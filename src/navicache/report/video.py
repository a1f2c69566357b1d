"""Write frames and sound to video and image files that every browser shows."""

import io
import os
from fractions import Fraction
from typing import Any, BinaryIO

import numpy as np
from PIL import Image

from navicache.records import open_atomic_file

Waveform = tuple[np.ndarray, int]  # (channels, samples) of floats in [-1, 1], and samples per second
CHANNEL_LAYOUTS = {1: "mono", 2: "stereo"}


def save_video(frames: np.ndarray, path: str | os.PathLike[str], fps: int = 8, sound: Waveform | None = None) -> None:
    """Write (frames, height, width, 3) of floats in [0, 1] as H.264, and the sound as AAC; sizes must be even.

    Example:
        >>> import tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "grey.mp4"
        >>> save_video(np.full((4, 32, 32, 3), 0.5), path)
        >>> path.stat().st_size > 0
        True
    """
    check_frames(frames)  # before a file is begun
    with open_atomic_file(path) as file:
        write_video(frames, file, fps, sound)


def encode_video(frames: np.ndarray, fps: int = 8, sound: Waveform | None = None) -> bytes:
    """The same video in memory."""
    check_frames(frames)
    buffer = io.BytesIO()
    write_video(frames, buffer, fps, sound)
    return buffer.getvalue()


def check_frames(frames: np.ndarray) -> None:
    """Refuse frames that H.264 cannot encode."""
    if frames.ndim != 4 or frames.shape[-1] != 3 or frames.shape[1] % 2 or frames.shape[2] % 2:
        raise ValueError(f"frames must be (frames, even height, even width, 3), got {frames.shape}")


def write_video(frames: np.ndarray, file: BinaryIO, fps: int, sound: Waveform | None = None) -> None:
    """Encode into an open file."""
    import av  # here: who writes no video does not need it

    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.height, stream.width, stream.pix_fmt = frames.shape[1], frames.shape[2], "yuv420p"
        # One thread: starting one for every core takes longer than a short video, and the bytes depend on no machine.
        stream.options = {"crf": "16", "preset": "veryfast", "threads": "1"}
        track = None if sound is None else container.add_stream("aac", rate=sound[1], layout=_name_layout(sound[0]))
        for image in frames:  # one by one: all bytes together would be another long video in memory
            container.mux(stream.encode(av.VideoFrame.from_ndarray(to_uint8(image), format="rgb24")))
        container.mux(stream.encode())
        if sound is not None:
            _write_sound(container, track, sound)


def _write_sound(container: Any, track: Any, sound: Waveform) -> None:
    import av

    samples, rate = sound
    block = av.AudioFrame.from_ndarray(np.clip(samples, -1, 1).astype(np.float32, order="C"), "fltp", track.layout.name)
    # A start at 0 lets players skip what the encoder puts before the sound.
    block.sample_rate, block.pts, block.time_base = rate, 0, Fraction(1, rate)
    container.mux(track.encode(block))
    container.mux(track.encode())


def _name_layout(samples: np.ndarray) -> str:
    if samples.ndim != 2 or len(samples) not in CHANNEL_LAYOUTS:
        raise ValueError(f"sound must be (1 or 2 channels, samples), got {samples.shape}: mix it first")
    return CHANNEL_LAYOUTS[len(samples)]


def save_image(frame: np.ndarray, path: str | os.PathLike[str]) -> None:
    """Write (height, width, 3) of floats in [0, 1] as PNG."""
    with open_atomic_file(path) as file:
        Image.fromarray(to_uint8(frame)).save(file, format="PNG")


def to_uint8(frames: np.ndarray) -> np.ndarray:
    """Floats in [0, 1] as uint8."""
    return (np.clip(frames, 0, 1) * 255).round().astype(np.uint8)
