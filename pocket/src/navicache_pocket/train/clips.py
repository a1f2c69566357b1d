"""What the autoencoder is shown: videos drawn once, cut into crops around their objects."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from navicache_pocket.train.practice import practice
from navicache_pocket.world import Scenes, render, seen_at

NEAR = 0.7  # share of the crops that hold an object: most of a video is background, which is soon learned
ASIDE = 0.25  # of a crop's side: how far from its middle an object's may lie


@dataclass(frozen=True)
class Cuts:
    """How many videos there are, and how they are cut."""

    videos: int = 12288
    batch: int = 48
    whole_batch: int = 8
    crop: int = 64
    crop_frames: int = 9
    size: int = 128
    frames: int = 17


def clips(seed: int, device: str, cuts: Cuts) -> Callable[[bool], torch.Tensor]:
    """Batches of crops or of whole videos, from a pool that is drawn once."""
    scenes = practice(cuts.videos, seed)[: cuts.videos]
    pool, middles = _videos(scenes, device, cuts), seen_at(scenes, cuts.frames, cuts.size)
    generator = torch.Generator().manual_seed(seed)
    side, frames = min(cuts.crop, cuts.size), min(cuts.crop_frames, cuts.frames)

    def cut(whole: bool) -> torch.Tensor:
        count = cuts.whole_batch if whole else cuts.batch
        rows = torch.randint(0, len(pool), (count,), generator=generator)
        if whole:
            return _ready(pool[rows.to(device)])
        first = int(torch.randint(0, cuts.frames - frames + 1, (1,), generator=generator))
        tops = corners(middles[rows, :, first + frames // 2], side, cuts.size, generator)
        span = slice(first, first + frames)
        places = zip(rows.tolist(), tops.tolist(), strict=True)
        parts = [pool[row, :, span, top : top + side, left : left + side] for row, (top, left) in places]
        return _ready(torch.stack(parts))

    return cut


def corners(middles: torch.Tensor, side: int, size: int, generator: torch.Generator) -> torch.Tensor:
    """Where each crop begins: (crops, 2), for objects whose middles (crops, 2, 2) are known."""
    count, room = len(middles), size - side
    which = torch.randint(0, 2, (count,), generator=generator)
    aside = (torch.rand(count, 2, generator=generator) - 0.5) * 2 * ASIDE * side
    near = middles[torch.arange(count), which] - side / 2 + aside
    anywhere = torch.rand(count, 2, generator=generator) * room
    chosen = torch.where(torch.rand(count, 1, generator=generator) < NEAR, near, anywhere)
    return chosen.round().long().clamp(0, room)


def _videos(scenes: Scenes, device: str, cuts: Cuts) -> torch.Tensor:
    parts = (scenes[start : start + 64].to(device) for start in range(0, len(scenes), 64))
    return torch.cat([to_bytes(render(part, cuts.frames, cuts.size)) for part in parts])


def _ready(clip: torch.Tensor) -> torch.Tensor:
    return to_float(clip).contiguous(memory_format=torch.channels_last_3d)


def to_bytes(video: torch.Tensor) -> torch.Tensor:
    """From [-1, 1] to bytes."""
    return ((video + 1) * 127.5).round().to(torch.uint8)


def to_float(video: torch.Tensor) -> torch.Tensor:
    """From bytes to [-1, 1]."""
    return video.float() / 127.5 - 1
