"""Where each object is at each frame: position, angle and size. Left and top are -1, right and bottom are 1."""

import math
from dataclasses import dataclass

import torch

from navicache_pocket.world import words
from navicache_pocket.world.scenes import Scenes

PAIR_SHRINK = 0.8  # two objects are smaller and travel less, so that each stays in its half
MOTION = {name: index for index, name in enumerate(words.MOTIONS)}


@dataclass(frozen=True)
class Paths:
    """Each of shape (scenes, 2, frames)."""

    x: torch.Tensor
    y: torch.Tensor
    angle: torch.Tensor
    radius: torch.Tensor


def follow(scenes: Scenes, frames: int) -> Paths:
    """The objects' paths over a video of so many frames."""
    free = scenes.object_freedom.unsqueeze(2)
    start_x, start_y, speed, phase, tilt, bulk = (free[..., column] for column in range(6))
    pair = scenes.pair.view(-1, 1, 1)
    time = torch.linspace(0, 1, frames, device=pair.device).view(1, 1, -1).expand(len(scenes), 2, -1)
    sides = torch.tensor([-0.5, 0.5], device=pair.device).view(1, 2, 1)
    x = torch.where(pair, sides + 0.1 * (start_x - 0.5), 0.6 * (start_x - 0.5)) + 0 * time
    y = 0.5 * (start_y - 0.5) + 0 * time
    beside, above = _travel(pair, time, y, speed, phase)
    spin = {"spinning": math.pi * (1 + speed) * time}
    swell = {"growing": 0.9 * time - 0.4, "shrinking": 0.5 - 0.9 * time}
    sizes = torch.tensor(list(words.SIZES.values()), device=pair.device)[scenes.size].unsqueeze(2)
    radius = sizes * (0.92 + 0.16 * bulk) * torch.where(pair, PAIR_SHRINK, 1.0)
    return Paths(
        x=x + _of(scenes, beside, time),
        y=y + _of(scenes, above, time),
        angle=0.5 * (tilt - 0.5) + _of(scenes, spin, time),
        radius=radius * (1 + _of(scenes, swell, time)),
    )


def _travel(
    pair: torch.Tensor, time: torch.Tensor, y: torch.Tensor, speed: torch.Tensor, phase: torch.Tensor
) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """What each motion adds across and down."""
    across = torch.where(pair, 0.5, 0.85 + 0.25 * speed) * (time - 0.5)
    down = 0.75 + 0.3 * speed
    turn = 2 * math.pi * (time + phase)
    swing = torch.where(pair, 0.2, 0.3)
    beside = {"moving left": -across, "moving right": across, "circling": swing * torch.cos(turn)}
    above = {
        "rising": down * (0.5 - time),
        "falling": down * (time**2 - 0.5),
        "bouncing": 0.35 - y - (0.6 + 0.2 * speed) * torch.sin(math.pi * (1.5 * time + phase)).abs(),
        "circling": swing * torch.sin(turn),
    }
    return beside, above


def _of(scenes: Scenes, moves: dict[str, torch.Tensor], like: torch.Tensor) -> torch.Tensor:
    """What each object's motion adds, zero for the motions that are not named."""
    motion = scenes.motion.unsqueeze(2)
    return sum((torch.where(motion == MOTION[name], move, 0.0) for name, move in moves.items()), torch.zeros_like(like))
