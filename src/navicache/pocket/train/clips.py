"""What the autoencoder is shown: videos drawn once, cut into crops around their objects."""

from collections.abc import Callable
from typing import Any, Protocol

import torch

from navicache.pocket.train.practice import practice
from navicache.pocket.world import Scenes, render, seen_at

NEAR = 0.7  # share of the crops that hold an object: most of a video is background, which is soon learned
ASIDE = 0.25  # of a crop's side: how far from its middle an object's may lie


class Cuts(Protocol):
    """How many videos there are, and how large a crop is."""

    @property
    def videos(self) -> int: ...  # noqa: D102
    @property
    def batch(self) -> int: ...  # noqa: D102
    @property
    def whole_batch(self) -> int: ...  # noqa: D102
    @property
    def crop(self) -> int: ...  # noqa: D102
    @property
    def crop_frames(self) -> int: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102
    @property
    def frames(self) -> int: ...  # noqa: D102


def clips(seed: int, device: str, settings: Cuts) -> Callable[[bool], torch.Tensor]:
    """Batches of crops or of whole videos, from a pool that is drawn once."""
    scenes = practice(settings.videos, seed)[: settings.videos]
    pool, middles = _videos(scenes, device, settings), seen_at(scenes, settings.frames, settings.size)
    generator = torch.Generator().manual_seed(seed)
    side, frames = min(settings.crop, settings.size), min(settings.crop_frames, settings.frames)

    def cut(whole: bool) -> torch.Tensor:
        count = settings.whole_batch if whole else settings.batch
        rows = torch.randint(0, len(pool), (count,), generator=generator)
        if whole:
            return _ready(pool[rows.to(device)])
        first = int(torch.randint(0, settings.frames - frames + 1, (1,), generator=generator))
        tops = corners(middles[rows, :, first + frames // 2], side, settings.size, generator)
        return _ready(
            torch.stack(
                [
                    pool[row, :, first : first + frames, top : top + side, left : left + side]
                    for row, (top, left) in zip(rows.tolist(), tops.tolist(), strict=True)
                ]
            )
        )

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


def _videos(scenes: Scenes, device: str, settings: Cuts, paint: Callable[..., Any] = render) -> torch.Tensor:
    parts = (scenes[start : start + 64].to(device) for start in range(0, len(scenes), 64))
    return torch.cat([to_bytes(paint(part, settings.frames, settings.size)) for part in parts])


def _ready(clip: torch.Tensor) -> torch.Tensor:
    return to_float(clip).contiguous(memory_format=torch.channels_last_3d)


def to_bytes(video: torch.Tensor) -> torch.Tensor:
    """From [-1, 1] to bytes."""
    return ((video + 1) * 127.5).round().to(torch.uint8)


def to_float(video: torch.Tensor) -> torch.Tensor:
    """From bytes to [-1, 1]."""
    return video.float() / 127.5 - 1
