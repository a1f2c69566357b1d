"""Names of resolutions and lengths, and the latents they make."""

import json
from importlib import resources
from typing import Any

PIXELS = 8  # side of the square a latent stands for
MICRO_FRAMES, MICRO_LATENTS = 17, 5
IMAGE_FPS = 120  # what the model was told for single images


def tables() -> dict[str, Any]:
    """Aspect ratios, resolutions and lengths by name; sizes are height and width, and so are the ratios."""
    return json.loads(resources.files(__package__ or "").joinpath("resolutions.json").read_text(encoding="utf-8"))


def video_size(resolution: str, aspect_ratio: str) -> tuple[int, int]:
    """Height and width in pixels; ratios are height to width, so "9:16" is landscape.

    Example:
        >>> video_size("480p", "9:16")
        (480, 854)
    """
    known = tables()
    sizes = _entry(known["tables_h_w"], "resolution", resolution)
    key = _entry(known["aspect_ratio_keys"], "aspect ratio (height:width)", aspect_ratio)
    if key not in sizes:
        have = [name for name, other in known["aspect_ratio_keys"].items() if other in sizes]
        raise ValueError(f"resolution {resolution!r} has no aspect ratio {aspect_ratio!r}; it has {', '.join(have)}")
    height, width = sizes[key]
    return height, width


def frame_count(length: int | str) -> int:
    """Frames of a length by name, or the number itself.

    Example:
        >>> frame_count("2s"), frame_count(34), frame_count("51")
        (51, 34, 51)
    """
    names = tables()["num_frames"]
    number = names.get(length, length)
    try:
        frames = int(number)
    except (TypeError, ValueError):
        raise ValueError(f"unknown length {length!r}: give a number of frames or one of {', '.join(names)}") from None
    if frames != number and str(frames) != number:
        raise ValueError(f"num_frames must be whole, got {length!r}")
    check_num_frames(frames)
    return frames


def check_num_frames(frames: int) -> None:
    """Refuse lengths the timestep transform cannot take: it divides by the whole groups of 17 frames."""
    if frames < 1 or 1 < frames < MICRO_FRAMES:
        raise ValueError(f"num_frames must be 1 (an image) or at least {MICRO_FRAMES}, got {frames}: 51 is usual")


def latent_size(num_frames: int, height: int, width: int) -> tuple[int, int, int]:
    """Latent frames, rows and columns.

    Example:
        >>> latent_size(51, 480, 854)
        (15, 60, 106)
    """
    whole, rest = divmod(num_frames, MICRO_FRAMES)
    return whole * MICRO_LATENTS + -(-rest // 4), height // PIXELS, width // PIXELS


def _entry(table: dict[str, Any], what: str, name: str) -> Any:
    if name not in table:
        raise ValueError(f"unknown {what} {name!r}; known: {', '.join(table)}")
    return table[name]
