"""Frames of two videos above each other as one JPEG, and videos beside each other as one animation."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from navicache.report.side_by_side import amplify_difference

SIZE, GAP, LABEL = 192, 4, 26  # pixels of a frame, between frames, of the line with a name
SHOWN = 5  # frames of a strip
AMPLIFIED = 10.0
FRAME_MILLISECONDS = 180
INK, PAPER = "#e8e8e8", "#1c1c1c"


def save_strip(reference: np.ndarray, frames: np.ndarray, name: str, path: Path) -> None:
    """A few frames: without the cache, with it, and ten times their difference."""
    places = np.linspace(0, len(frames) - 1, min(SHOWN, len(frames))).round().astype(int)
    rows = {
        "every step computed": reference,
        name: frames,
        f"difference, times {AMPLIFIED:g}": amplify_difference(reference, frames, AMPLIFIED),
    }
    width = len(places) * (SIZE + GAP) - GAP
    sheet = Image.new("RGB", (width, len(rows) * (SIZE + LABEL)), PAPER)
    for number, (label, video) in enumerate(rows.items()):
        top = number * (SIZE + LABEL)
        write_label(sheet, label, 0, top)
        for column, place in enumerate(places):
            sheet.paste(enlarge(video[place]), (column * (SIZE + GAP), top + LABEL))
    sheet.save(path, "JPEG", quality=85, subsampling=0, optimize=True)


def save_animation(videos: Mapping[str, np.ndarray], path: Path) -> None:
    """All videos in step, each under its name."""
    count = len(next(iter(videos.values())))
    width = len(videos) * (SIZE + GAP) - GAP
    sheets = [Image.new("RGB", (width, SIZE + LABEL), PAPER) for _ in range(count)]
    for column, (label, video) in enumerate(videos.items()):
        left = column * (SIZE + GAP)
        for sheet, frame in zip(sheets, video, strict=True):
            write_label(sheet, label, left, 0)
            sheet.paste(enlarge(frame), (left, LABEL))
    timing = {"save_all": True, "append_images": sheets[1:], "duration": FRAME_MILLISECONDS, "loop": 0}
    sheets[0].save(path, "WEBP", quality=80, method=6, **timing)


def enlarge(frame: np.ndarray) -> Image.Image:
    """A frame at the size of the page."""
    values = (frame.clip(0, 1) * 255).round().astype(np.uint8)
    return Image.fromarray(values).resize((SIZE, SIZE), Image.Resampling.BICUBIC)


def write_label(sheet: Image.Image, text: str, left: int, top: int) -> None:
    """The font that comes with matplotlib: the same on every machine."""
    font = ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf", 16)
    ImageDraw.Draw(sheet).text((left + 6, top + LABEL / 2), text, fill=INK, font=font, anchor="lm")
