"""Read the sound of video and sound files; errors name the file."""

from pathlib import Path
from typing import Any

import numpy as np

from navicache.evaluation.sound import Sound

SOUND_SUFFIXES = (".wav", ".flac", ".mp3", ".m4a", ".ogg")
SLACK = 0.1  # seconds, more than a block: some files count one that their decoder leaves out


def is_sound_file(path: Path) -> bool:
    """Whether it is a file of sound alone, by its name.

    Example:
        >>> is_sound_file(Path("a.WAV")), is_sound_file(Path("a.mp4"))
        (True, False)
    """
    return path.suffix.lower() in SOUND_SUFFIXES


def read_sound(path: Path) -> Sound | None:
    """Read the first sound stream as floats; None if the file has none."""
    import av
    from av.error import FFmpegError

    if not path.is_file():
        raise ValueError(f"{path} is no file: give a video or a sound file")
    try:
        with av.open(str(path)) as container:
            stream = next(iter(container.streams.audio), None)
            if stream is None:
                return None
            length, samples = _read_length(container, stream), _decode_samples(container, stream)
    except FFmpegError as error:
        raise ValueError(f"the sound of {path} cannot be read: {error}") from error
    if not samples.size or samples.shape[1] < (length or 0) - SLACK * stream.rate:
        raise ValueError(f"the sound of {path} is damaged: {samples.shape[1]} of {length or 'its'} samples can be read")
    return Sound(samples[:, : length or None], stream.rate)


def _read_length(container: Any, stream: Any) -> int | None:
    """Where the sound ends, in samples: the encoder fills its last block. None if the file does not say.

    An MP3 file may have no length, and then its duration is guessed from its first bytes; its decoder knows the end.
    """
    if container.format.name == "mp3" or not stream.duration or not stream.time_base:
        return None
    return round(stream.duration * stream.time_base * stream.rate)


def _decode_samples(container: Any, stream: Any) -> np.ndarray:
    import av

    converter = av.AudioResampler(format="fltp")
    frames = [made for frame in container.decode(stream) for made in converter.resample(frame)]
    return np.concatenate([frame.to_ndarray() for frame in frames] or [np.empty((1, 0), np.float32)], axis=1)
