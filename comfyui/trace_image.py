"""Draw a report as an image in ComfyUI's format, with Pillow alone: large text, since a node shows it small."""

from collections.abc import Sequence

import numpy as np
import torch
from PIL import Image, ImageDraw, ImageFont

from navicache.records import RunRecord, describe_savings

WIDTH, MARGIN, TEXT_SIZE = 1200, 24, 36  # pixels
STRIP_HEIGHT, BARS_HEIGHT, MAX_STRIPS = 72, 220, 4
COMPUTED_COLOR, REUSED_COLOR, ERROR_COLOR, TEXT_COLOR = "#0072B2", "#BBD6E8", "#D55E00", "#222222"
EMPTY_NOTICE = "nothing was cached in this run"


def draw_runs(runs: Sequence[RunRecord]) -> torch.Tensor:
    """Draw the runs below each other: (1, height, width, 3), values from 0 to 1; without runs, a notice."""
    pictures = [_draw_run(run) for run in runs if run.steps] or [_draw_lines([EMPTY_NOTICE])]
    return torch.from_numpy(np.concatenate([np.asarray(p, dtype=np.float32) / 255 for p in pictures]))[None]


def _draw_run(run: RunRecord) -> Image.Image:
    """Title, one strip of steps per guidance branch, and what predictions missed."""
    streams = run.streams[:MAX_STRIPS]
    title = [f"{run.policy} on {run.model}", describe_savings(run)]
    errors = [step.reuse_error for step in run.steps_of()]
    top = MARGIN + len(title) * (TEXT_SIZE + 12)
    strips_end = top + len(streams) * (STRIP_HEIGHT + 8)
    has_errors = any(errors)
    image = _draw_lines(title, strips_end + MARGIN + has_errors * (BARS_HEIGHT + TEXT_SIZE + 24))
    draw = ImageDraw.Draw(image)
    for row, stream in enumerate(streams):
        y = top + row * (STRIP_HEIGHT + 8)
        for step in run.steps_of(stream=stream):
            color = COMPUTED_COLOR if step.computed else REUSED_COLOR
            draw.rectangle(_find_cell(run, step.index, y, STRIP_HEIGHT), fill=color)
    if has_errors:
        _draw_errors(draw, run, strips_end + 12)
    return image


def _draw_errors(draw: ImageDraw.ImageDraw, run: RunRecord, top: int) -> None:
    """One bar at each computed step: the relative error that a prediction of it had."""
    errors = {step.index: step.reuse_error for step in run.steps_of() if step.reuse_error}
    largest, base = max(errors.values()), top + TEXT_SIZE + 16 + BARS_HEIGHT
    caption = f"error of a prediction at computed steps, up to {largest:.1%} of the output"
    draw.text((MARGIN, top), caption, fill=TEXT_COLOR, font=_load_font())
    for index, error in errors.items():
        height = max(2, round(BARS_HEIGHT * error / largest))
        draw.rectangle(_find_cell(run, index, base - height, height), fill=ERROR_COLOR)
    draw.line((MARGIN, base, WIDTH - MARGIN, base), fill=TEXT_COLOR, width=2)


def _find_cell(run: RunRecord, index: int, y: int, height: int) -> tuple[int, int, int, int]:
    """The rectangle of a step."""
    count = max(run.total or 0, max(step.index for step in run.steps) + 1)
    share = (WIDTH - 2 * MARGIN) / count
    left, gap = MARGIN + index * share, min(4.0, share / 4)
    return round(left), y, max(round(left), round(left + share - gap) - 1), y + height - 1


def _draw_lines(lines: Sequence[str], height: int = 0) -> Image.Image:
    """A white picture with these lines of text at its top, at least as high as they are."""
    image = Image.new("RGB", (WIDTH, max(height, 2 * MARGIN + len(lines) * (TEXT_SIZE + 12))), "white")
    draw = ImageDraw.Draw(image)
    for row, line in enumerate(lines):
        draw.text((MARGIN, MARGIN + row * (TEXT_SIZE + 12) - 8), line, fill=TEXT_COLOR, font=_load_font())
    return image


def _load_font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(TEXT_SIZE)
