"""Read videos from files, as bytes, and match files with their references; errors name the file."""

from pathlib import Path

import numpy as np

from navicache.evaluation.sound_files import SOUND_SUFFIXES, is_sound_file

VIDEO_SUFFIXES = (".mp4", ".webm", ".mkv", ".mov", ".avi", ".gif")


def read_video(path: Path) -> np.ndarray:
    """Read every frame of the first video stream, as (frames, height, width, 3) of uint8.

    A truncated file is an error: otherwise its missing frames would not be scored.
    """
    import av
    from av.error import FFmpegError

    if not path.is_file():
        raise ValueError(f"{path} is no file: give a video, or a folder of videos")
    if not path.stat().st_size:
        raise ValueError(f"{path} is empty: write it again")
    try:
        with av.open(str(path)) as container:
            frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
            expected = container.streams.video[0].frames
    except (FFmpegError, IndexError) as error:
        raise ValueError(f"{path} cannot be read as a video: {error}") from error
    if not frames or len(frames) < expected:
        raise ValueError(f"{path} is damaged: {len(frames)} of {expected or 'its'} frames can be read")
    return np.stack(frames)


def match_videos(reference: Path, other: Path) -> list[tuple[str, Path, Path]]:
    """Return name and both files of every pair: two files, or two folders with the same file names."""
    if reference.is_dir() != other.is_dir():
        raise ValueError(f"give two videos or two folders: {reference} and {other} are one of each")
    if not reference.is_dir():
        return [(other.name, reference, other)]
    names = list_videos(reference)
    if missing := sorted(set(names) ^ set(list_videos(other))):
        where = other if missing[0] in names else reference
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise ValueError(f"{where} has no {missing[0]}{more}: both folders must hold the same names")
    return [(name, reference / name, other / name) for name in names]


def list_videos(folder: Path) -> list[str]:
    """List the names of the videos and sound files in a folder, sorted; other files are skipped."""
    names = sorted(path.name for path in folder.iterdir() if _is_media_file(path))
    if not names:
        suffixes = ", ".join(VIDEO_SUFFIXES + SOUND_SUFFIXES)
        raise ValueError(f"{folder} holds no video or sound file: looked for {suffixes}")
    return names


def _is_media_file(path: Path) -> bool:
    return path.suffix.lower() in VIDEO_SUFFIXES or is_sound_file(path)
