"""What a video shows, and whether it is what its scene says."""

from dataclasses import dataclass
from typing import NamedTuple

import torch

from navicache_pocket.reader.backgrounds import Backgrounds, features
from navicache_pocket.reader.objects import NONE, direction, first_object, vivid
from navicache_pocket.reader.outlines import outline
from navicache_pocket.world import Scenes, words

AT_ONCE = 8  # videos: more would not be faster


@dataclass(frozen=True)
class Reading:
    """Per video an index into `words.BACKGROUNDS`, `COLOURS`, `DIRECTIONS` and `SHAPES`, -1 where there is none.

    `fits` says how well the outline of each shape covers the first object: (videos, shapes), 0 to 1.
    """

    background: torch.Tensor
    colour: torch.Tensor
    direction: torch.Tensor
    shape: torch.Tensor
    fits: torch.Tensor


class Verdict(NamedTuple):
    """Per video: whether a reading is right, and whether the caption asks for it."""

    right: torch.Tensor
    asked: torch.Tensor

    @property
    def share(self) -> float:
        """Right ones among those asked for."""
        return (self.right & self.asked).sum().item() / max(1, self.asked.sum().item())


def read(video: torch.Tensor, pair: bool | torch.Tensor, backgrounds: Backgrounds) -> Reading:
    """Read videos (videos, 3, frames, height, width) with values in [-1, 1], told only which show two objects.

    Example:
        >>> from navicache_pocket.reader import learn_backgrounds
        >>> from navicache_pocket.world import draw, render
        >>> scenes = draw(2, seed=6)
        >>> found = read(render(scenes, frames=5, size=64), scenes.pair, learn_backgrounds(scenes=60))
        >>> found.colour.tolist() == scenes.colour[:, 0].tolist()
        True
    """
    pairs = torch.as_tensor(pair, device=video.device).expand(len(video))
    parts = [_read(*part, backgrounds) for part in zip(video.split(AT_ONCE), pairs.split(AT_ONCE), strict=True)]
    return Reading(*(torch.cat(column).cpu() for column in zip(*parts, strict=True)))


def _read(video: torch.Tensor, pair: torch.Tensor, backgrounds: Backgrounds) -> tuple[torch.Tensor, ...]:
    video = video.float()
    strong, hue = vivid(video)
    colour, mask = first_object(strong, hue, pair)
    return backgrounds.nearest(features(video, strong)), colour, direction(mask), *outline(mask, pair)


def judge(reading: Reading, scenes: Scenes) -> dict[str, Verdict]:
    """Compare with the scenes; a direction is asked for only where there is one, a shape where all of it was seen."""
    every = torch.ones(len(scenes), dtype=torch.bool)
    motion = scenes.motion[:, 0].cpu()
    return {
        "background": Verdict(reading.background == scenes.background.cpu(), every),
        "colour": Verdict(reading.colour == scenes.colour[:, 0].cpu(), every),
        "direction": Verdict(reading.direction == motion, motion < len(words.DIRECTIONS)),
        "shape": Verdict(reading.shape == scenes.shape[:, 0].cpu(), reading.shape != NONE),
    }
