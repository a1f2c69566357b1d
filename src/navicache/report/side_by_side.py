"""Join videos of one size side by side, each with a label."""

from collections.abc import Mapping

import numpy as np
from PIL import Image, ImageDraw, ImageFont

AMPLIFIED = 5.0  # differences of a good cache are too faint to see
LEAST_WIDTH = 256  # smaller frames are enlarged, pixel by pixel, so that the names stay readable
STRIP, GAP = 32, 4
INK, PAPER = (240, 240, 240), (24, 24, 24)


def amplify_difference(reference: np.ndarray, frames: np.ndarray, amplified: float = AMPLIFIED) -> np.ndarray:
    """Absolute difference of two videos in [0, 1], amplified and clipped.

    Example:
        >>> amplify_difference(np.full((1, 1, 1, 3), 0.5), np.full((1, 1, 1, 3), 0.4), amplified=5.0).round(2).max()
        np.float64(0.5)
    """
    return np.clip(np.abs(frames - reference) * amplified, 0.0, 1.0)


def join_panels(panels: Mapping[str, np.ndarray]) -> np.ndarray:
    """Frames of (height + strip, all widths) from videos (frames, height, width, 3) by their names.

    The strip is `STRIP` pixels high, panels stand `GAP` pixels apart, and both are even, as H.264 wants it.
    """
    count, height, width, _ = next(iter(panels.values())).shape
    times = max(1, -(-LEAST_WIDTH // width))
    gap = np.broadcast_to(np.array(PAPER, dtype=np.float32) / 255, (count, STRIP + height * times, GAP, 3))
    columns: list[np.ndarray] = []
    for name, frames in panels.items():
        strip = np.broadcast_to(_draw_label(name, width * times), (count, STRIP, width * times, 3))
        columns += [gap, np.concatenate([strip, frames.repeat(times, axis=1).repeat(times, axis=2)], axis=1)]
    return np.concatenate(columns[1:], axis=2)


def _draw_label(text: str, width: int) -> np.ndarray:
    """The label in the largest letters that fit."""
    image = Image.new("RGB", (width, STRIP), PAPER)
    draw = ImageDraw.Draw(image)
    sizes = (ImageFont.load_default(size) for size in range(18, 7, -1))
    fonts = [font for font in sizes if draw.textlength(text, font=font) <= width - 12]
    font = fonts[0] if fonts else ImageFont.load_default(8)
    draw.text((6, STRIP / 2), text, fill=INK, font=font, anchor="lm")
    return np.asarray(image, dtype=np.float32) / 255
