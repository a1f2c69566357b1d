"""A sheet to look at: what a packed member makes of captions it never saw, beside the scenes themselves."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageDraw

from navicache.pocket.held_out import POOL, SEEDS, choose_prompts
from navicache.pocket.members import Member
from navicache.pocket.train.family.recipe import Pictures
from navicache.pocket.world import Scenes, captions, draw
from navicache.records import open_atomic_file

SHOWN = 5  # frames of a video, evenly spread
GAP, LINE, ZOOM = 12, 14, 2


def held_out(count: int) -> Scenes:
    """The first scenes whose captions are held out of every training."""
    pool = draw(POOL, SEEDS["held-out"])
    texts = captions(pool)
    return pool[torch.tensor([texts.index(prompt) for prompt in choose_prompts("held-out", count)])]


def open_member(member: Member, folder: Path) -> Any:
    """The pipeline by its own class."""
    import diffusers

    from navicache import opensora

    library: Any = opensora if member.pipeline in opensora.__all__ else diffusers
    return getattr(library, member.pipeline).from_pretrained(folder)


def generate(pipe: Any, prompts: Sequence[str], call: dict[str, Any], batch: int = 8) -> np.ndarray:
    """Pictures (prompts, frames, height, width, 3) in [0, 1], each batch from the same noise."""
    pipe.set_progress_bar_config(disable=True)
    made: list[np.ndarray] = []
    for start in range(0, len(prompts), batch):
        generator = torch.Generator().manual_seed(start)
        part = list(prompts[start : start + batch])
        made.append(np.asarray(pipe(part, generator=generator, output_type="np", return_dict=False, **call)[0]))
    pictures = np.concatenate(made)
    return pictures if pictures.ndim == 5 else pictures[:, None]


def save_sheet(path: Path, pipe: Any, call: dict[str, Any], pictures: Pictures, count: int = 16) -> None:
    """One row a caption: generated frames on the left, rendered ones of the same caption on the right."""
    scenes = held_out(count)
    prompts = captions(scenes)
    rendered = (pictures.of(scenes).permute(0, 2, 3, 4, 1).numpy() + 1) / 2
    image = lay_out(prompts, generate(pipe, prompts, call), rendered)
    with open_atomic_file(path) as file:
        image.save(file, format="PNG")


def lay_out(prompts: Sequence[str], made: np.ndarray, rendered: np.ndarray) -> Image.Image:
    """The sheet itself."""
    frames, side = made.shape[1], made.shape[2] * ZOOM
    shown = np.unique(np.linspace(0, frames - 1, min(SHOWN, frames)).round().astype(int))
    block, row = len(shown) * side, side + LINE + GAP
    sheet = Image.new("RGB", (2 * block + 3 * GAP, len(prompts) * row + GAP), "white")
    pen = ImageDraw.Draw(sheet)
    for number, prompt in enumerate(prompts):
        top = GAP + number * row
        pen.text((GAP, top), prompt, fill="black")
        for left, video in ((GAP, made[number]), (2 * GAP + block, rendered[number])):
            for place, frame in enumerate(video[shown]):
                picture = Image.fromarray((frame.clip(0, 1) * 255).round().astype(np.uint8)).resize((side, side))
                sheet.paste(picture, (left + place * side, top + LINE))
    return sheet
