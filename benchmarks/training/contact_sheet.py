"""Many videos on one picture: a few frames of each, its caption, and a tick or a cross for each reading."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import torch
from PIL import Image, ImageDraw, ImageFont

FRAME, SHOWN, COLUMNS = 176, 4, 3  # pixels a frame, frames a video, videos side by side
GAP, MARGIN, TEXT, HEAD = 4, 28, 66, 62
INK, GREY, GREEN, RED = "#222222", "#777777", "#1a8f3c", "#c8321e"
READINGS = ("background", "colour", "direction", "shape")


@dataclass(frozen=True)
class Card:
    """One video (3, frames, height, width) in [-1, 1], its caption, its kind, and per reading what was found."""

    video: torch.Tensor
    caption: str
    kind: str
    found: dict[str, Any]


def save_sheet(cards: Sequence[Card], path: Path, title: str) -> None:
    """Draw all cards and save them as one PNG."""
    width, height = SHOWN * FRAME + (SHOWN - 1) * GAP, FRAME + TEXT
    lines = -(-len(cards) // COLUMNS)
    columns = min(COLUMNS, len(cards))
    sheet = Image.new("RGB", (columns * (width + MARGIN) + MARGIN, HEAD + lines * (height + MARGIN)), "white")
    pen = ImageDraw.Draw(sheet)
    pen.text((MARGIN, 16), title, fill=INK, font=_font(24, bold=True))
    after = MARGIN + 24 + pen.textlength(title, font=_font(24, bold=True))
    pen.text((after, 23), "✓ found by the reader   ✗ found instead", fill=GREY, font=_font(16))
    for number, card in enumerate(cards):
        left = MARGIN + number % COLUMNS * (width + MARGIN)
        top = HEAD + number // COLUMNS * (height + MARGIN)
        _draw(sheet, pen, card, left, top)
    sheet.save(path, optimize=True)


def _draw(sheet: Image.Image, pen: ImageDraw.ImageDraw, card: Card, left: int, top: int) -> None:
    for place, frame in enumerate(torch.linspace(0, card.video.shape[1] - 1, SHOWN).round().int().tolist()):
        sheet.paste(_picture(card.video[:, frame]), (left + place * (FRAME + GAP), top))
    lines = _wrap(pen, card.caption, SHOWN * FRAME)
    for number, line in enumerate(lines):
        pen.text((left, top + FRAME + 5 + 19 * number), line, fill=INK, font=_font(15))
    _marks(pen, card, left, top + FRAME + 7 + 19 * len(lines))


def _marks(pen: ImageDraw.ImageDraw, card: Card, left: int, top: int) -> None:
    """A tick or a cross for each reading; a cross stands before what was read instead."""
    for name in READINGS:
        found = card.found[name]
        instead = f"no {name}" if found["read"] == "none" else found["read"]
        text, colour = (f"✓ {name}", GREEN) if found["right"] else (f"✗ {instead}", RED)
        if not found["asked"]:
            text, colour = f"– no {name} asked", GREY
        font = _font(14, bold=found["asked"])
        pen.text((left, top), text, fill=colour, font=font)
        left += round(pen.textlength(text, font=font)) + 22
    pen.text((left, top), card.kind, fill=GREY, font=_font(14))


def _picture(frame: torch.Tensor) -> Image.Image:
    values = ((frame.clamp(-1, 1) + 1) * 127.5).round().to(torch.uint8)
    return Image.fromarray(values.permute(1, 2, 0).numpy()).resize((FRAME, FRAME), Image.Resampling.LANCZOS)


def _wrap(pen: ImageDraw.ImageDraw, text: str, width: int) -> list[str]:
    """At most two lines."""
    words, first = text.split(), 0
    while first < len(words) and pen.textlength(" ".join(words[: first + 1]), font=_font(15)) <= width:
        first += 1
    return [line for line in (" ".join(words[:first]), " ".join(words[first:])) if line]


def _font(size: int, bold: bool = False) -> ImageFont.FreeTypeFont:
    """The font that comes with matplotlib: the same on every machine, and it has ticks and crosses."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name, size)
