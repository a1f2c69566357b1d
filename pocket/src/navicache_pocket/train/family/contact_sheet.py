"""A contact sheet: what a trained member generates for held-out captions, beside the rendered scenes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageDraw

from navicache.pocket.members import Member
from navicache.records import open_atomic_file
from navicache_pocket.train.family.recipe import VideoFormat
from navicache_pocket.train.held_out import draw_held_out_scenes
from navicache_pocket.world import write_captions

FRAMES_SHOWN = 5  # frames of a video, evenly spread
GAP_PIXELS, TEXT_HEIGHT, ZOOM = 12, 14, 2


def open_pipeline(member: Member, folder: Path) -> Any:
    """Open a member's checkpoint with its pipeline class."""
    import diffusers

    import navicache_opensora

    library: Any = navicache_opensora if member.pipeline in navicache_opensora.__all__ else diffusers
    return getattr(library, member.pipeline).from_pretrained(folder)


def generate_videos(pipe: Any, prompts: Sequence[str], call: dict[str, Any], batch: int = 8) -> np.ndarray:
    """Videos (prompts, frames, height, width, 3) in [0, 1]; the seed of a batch is its first index."""
    pipe.set_progress_bar_config(disable=True)
    made: list[np.ndarray] = []
    for start in range(0, len(prompts), batch):
        generator = torch.Generator().manual_seed(start)
        part = list(prompts[start : start + batch])
        made.append(np.asarray(pipe(part, generator=generator, output_type="np", return_dict=False, **call)[0]))
    pictures = np.concatenate(made)
    return pictures if pictures.ndim == 5 else pictures[:, None]


def save_contact_sheet(path: Path, pipe: Any, call: dict[str, Any], video_format: VideoFormat, count: int = 16) -> None:
    """One row per caption: generated frames on the left, rendered ones on the right."""
    scenes = draw_held_out_scenes(count)
    prompts = write_captions(scenes)
    rendered = (video_format.render_scenes(scenes).permute(0, 2, 3, 4, 1).numpy() + 1) / 2
    image = draw_contact_sheet(prompts, generate_videos(pipe, prompts, call), rendered)
    with open_atomic_file(path) as file:
        image.save(file, format="PNG")


def draw_contact_sheet(prompts: Sequence[str], made: np.ndarray, rendered: np.ndarray) -> Image.Image:
    """Lay the frames of generated and rendered videos out as one image."""
    frames, side = made.shape[1], made.shape[2] * ZOOM
    shown = np.unique(np.linspace(0, frames - 1, min(FRAMES_SHOWN, frames)).round().astype(int))
    block, row = len(shown) * side, side + TEXT_HEIGHT + GAP_PIXELS
    sheet = Image.new("RGB", (2 * block + 3 * GAP_PIXELS, len(prompts) * row + GAP_PIXELS), "white")
    pen = ImageDraw.Draw(sheet)
    for number, prompt in enumerate(prompts):
        top = GAP_PIXELS + number * row
        pen.text((GAP_PIXELS, top), prompt, fill="black")
        for left, video in ((GAP_PIXELS, made[number]), (2 * GAP_PIXELS + block, rendered[number])):
            for place, frame in enumerate(video[shown]):
                picture = Image.fromarray((frame.clip(0, 1) * 255).round().astype(np.uint8)).resize((side, side))
                sheet.paste(picture, (left + place * side, top + TEXT_HEIGHT))
    return sheet
