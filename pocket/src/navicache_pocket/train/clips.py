"""Training clips of the autoencoder: crops around the objects of videos that are rendered once."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from navicache_pocket.train.training_scenes import draw_training_scenes
from navicache_pocket.world import Scenes, locate_objects, render_videos

NEAR_OBJECT_SHARE = 0.7  # share of the crops that hold an object: most of a video is background, which is soon learned
MAX_OFFSET = 0.25  # of a crop's side: how far from its middle an object's may lie


@dataclass(frozen=True)
class ClipSettings:
    """How many videos there are, and how they are cropped."""

    videos: int = 12288
    crop_batch: int = 48
    whole_batch: int = 8
    crop: int = 64
    crop_frames: int = 9
    size: int = 128
    frames: int = 17


def make_clip_sampler(seed: int, device: str, settings: ClipSettings) -> Callable[[bool], torch.Tensor]:
    """A function that samples batches of crops, or of whole videos, from a pool that is rendered once."""
    scenes = draw_training_scenes(settings.videos, seed)[: settings.videos]
    pool, centres = _render_pool(scenes, device, settings), locate_objects(scenes, settings.frames, settings.size)
    generator = torch.Generator().manual_seed(seed)
    side, frames = min(settings.crop, settings.size), min(settings.crop_frames, settings.frames)

    def sample_clips(whole: bool) -> torch.Tensor:
        count = settings.whole_batch if whole else settings.crop_batch
        rows = torch.randint(0, len(pool), (count,), generator=generator)
        if whole:
            return _to_network_input(pool[rows.to(device)])
        first = int(torch.randint(0, settings.frames - frames + 1, (1,), generator=generator))
        tops = choose_crop_corners(centres[rows, :, first + frames // 2], side, settings.size, generator)
        span = slice(first, first + frames)
        places = zip(rows.tolist(), tops.tolist(), strict=True)
        parts = [pool[row, :, span, top : top + side, left : left + side] for row, (top, left) in places]
        return _to_network_input(torch.stack(parts))

    return sample_clips


def choose_crop_corners(centres: torch.Tensor, side: int, size: int, generator: torch.Generator) -> torch.Tensor:
    """Top left corner of each crop: (crops, 2), given the centres (crops, 2, 2) of its two objects."""
    count, room = len(centres), size - side
    which = torch.randint(0, 2, (count,), generator=generator)
    offset = (torch.rand(count, 2, generator=generator) - 0.5) * 2 * MAX_OFFSET * side
    near = centres[torch.arange(count), which] - side / 2 + offset
    anywhere = torch.rand(count, 2, generator=generator) * room
    chosen = torch.where(torch.rand(count, 1, generator=generator) < NEAR_OBJECT_SHARE, near, anywhere)
    return chosen.round().long().clamp(0, room)


def _render_pool(scenes: Scenes, device: str, settings: ClipSettings) -> torch.Tensor:
    parts = (scenes[start : start + 64].to(device) for start in range(0, len(scenes), 64))
    return torch.cat([to_bytes(render_videos(part, settings.frames, settings.size)) for part in parts])


def _to_network_input(clip: torch.Tensor) -> torch.Tensor:
    return to_float(clip).contiguous(memory_format=torch.channels_last_3d)


def to_bytes(video: torch.Tensor) -> torch.Tensor:
    """From [-1, 1] to bytes."""
    return ((video + 1) * 127.5).round().to(torch.uint8)


def to_float(video: torch.Tensor) -> torch.Tensor:
    """From bytes to [-1, 1]."""
    return video.float() / 127.5 - 1
