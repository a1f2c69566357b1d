"""Resolutions and lengths by name, and the size of their latents."""

import json
from importlib import resources
from typing import Any

SPATIAL_COMPRESSION = 8  # pixels per latent along height and width
MICRO_FRAMES, MICRO_LATENTS = 17, 5  # frames that the VAE encodes together, and their latent frames
IMAGE_FPS = 120  # the fps of single images in training


def load_tables() -> dict[str, Any]:
    """Aspect ratios, resolutions and lengths by name; sizes and ratios are height first."""
    return json.loads(resources.files(__package__ or "").joinpath("resolutions.json").read_text(encoding="utf-8"))


def look_up_size(resolution: str, aspect_ratio: str) -> tuple[int, int]:
    """Height and width in pixels; ratios are height to width, so "9:16" is landscape.

    Example:
        >>> look_up_size("480p", "9:16")
        (480, 854)
    """
    tables = load_tables()
    sizes = _look_up(tables["tables_h_w"], "resolution", resolution)
    key = _look_up(tables["aspect_ratio_keys"], "aspect ratio (height:width)", aspect_ratio)
    if key not in sizes:
        available = [name for name, other in tables["aspect_ratio_keys"].items() if other in sizes]
        raise ValueError(
            f"resolution {resolution!r} has no aspect ratio {aspect_ratio!r}; it has {', '.join(available)}"
        )
    height, width = sizes[key]
    return height, width


def parse_num_frames(length: int | str) -> int:
    """The number of frames of a length such as "2s", or the number itself.

    Example:
        >>> parse_num_frames("2s"), parse_num_frames(34), parse_num_frames("51")
        (51, 34, 51)
    """
    names = load_tables()["num_frames"]
    number = names.get(length, length)
    try:
        frames = int(number)
    except (TypeError, ValueError):
        raise ValueError(f"unknown length {length!r}: give a number of frames or one of {', '.join(names)}") from None
    if frames != number and str(frames) != number:
        raise ValueError(f"num_frames must be a whole number, got {length!r}")
    check_num_frames(frames)
    return frames


def check_num_frames(frames: int) -> None:
    """Raise for lengths that the timestep transform does not support: it counts whole groups of 17 frames."""
    if frames < 1 or 1 < frames < MICRO_FRAMES:
        raise ValueError(f"num_frames must be 1 (an image) or at least {MICRO_FRAMES}, got {frames}: 51 is usual")


def compute_latent_size(num_frames: int, height: int, width: int) -> tuple[int, int, int]:
    """Latent frames, rows and columns.

    Example:
        >>> compute_latent_size(51, 480, 854)
        (15, 60, 106)
    """
    whole, rest = divmod(num_frames, MICRO_FRAMES)
    return whole * MICRO_LATENTS + -(-rest // 4), height // SPATIAL_COMPRESSION, width // SPATIAL_COMPRESSION


def _look_up(table: dict[str, Any], what: str, name: str) -> Any:
    if name not in table:
        raise ValueError(f"unknown {what} {name!r}; known: {', '.join(table)}")
    return table[name]
