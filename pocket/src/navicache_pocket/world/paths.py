"""Where each object is at each frame: position, angle and size. Left and top are -1, right and bottom are 1."""

import math
from dataclasses import dataclass

import torch

from navicache_pocket.world import words
from navicache_pocket.world.scenes import Scenes

PAIR_SCALE = 0.8  # two objects are smaller and travel less, so that each stays in its half
MOTION_INDEX = {name: index for index, name in enumerate(words.MOTIONS)}


@dataclass(frozen=True)
class ObjectPaths:
    """Each of shape (scenes, 2, frames)."""

    x: torch.Tensor
    y: torch.Tensor
    angle: torch.Tensor
    radius: torch.Tensor


def trace_paths(scenes: Scenes, frames: int) -> ObjectPaths:
    """The objects' paths over a video."""
    variation = scenes.object_variation.unsqueeze(2)
    start_x, start_y, speed, phase, tilt, bulk = (variation[..., column] for column in range(6))
    has_pair = scenes.has_pair.view(-1, 1, 1)
    time = torch.linspace(0, 1, frames, device=has_pair.device).view(1, 1, -1).expand(len(scenes), 2, -1)
    sides = torch.tensor([-0.5, 0.5], device=has_pair.device).view(1, 2, 1)
    x = torch.where(has_pair, sides + 0.1 * (start_x - 0.5), 0.6 * (start_x - 0.5)) + 0 * time
    y = 0.5 * (start_y - 0.5) + 0 * time
    offsets_x, offsets_y = _list_motion_offsets(has_pair, time, y, speed, phase)
    spin = {"spinning": math.pi * (1 + speed) * time}
    growth = {"growing": 0.9 * time - 0.4, "shrinking": 0.5 - 0.9 * time}
    sizes = torch.tensor(list(words.SIZES.values()), device=has_pair.device)[scenes.size].unsqueeze(2)
    radius = sizes * (0.92 + 0.16 * bulk) * torch.where(has_pair, PAIR_SCALE, 1.0)
    return ObjectPaths(
        x=x + _select_motion(scenes, offsets_x, time),
        y=y + _select_motion(scenes, offsets_y, time),
        angle=0.5 * (tilt - 0.5) + _select_motion(scenes, spin, time),
        radius=radius * (1 + _select_motion(scenes, growth, time)),
    )


def _list_motion_offsets(
    has_pair: torch.Tensor, time: torch.Tensor, y: torch.Tensor, speed: torch.Tensor, phase: torch.Tensor
) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """The offsets in x and y that each motion adds, by its name."""
    across = torch.where(has_pair, 0.5, 0.85 + 0.25 * speed) * (time - 0.5)
    down = 0.75 + 0.3 * speed
    turn = 2 * math.pi * (time + phase)
    swing = torch.where(has_pair, 0.2, 0.3)
    offsets_x = {"moving left": -across, "moving right": across, "circling": swing * torch.cos(turn)}
    offsets_y = {
        "rising": down * (0.5 - time),
        "falling": down * (time**2 - 0.5),
        "bouncing": 0.35 - y - (0.6 + 0.2 * speed) * torch.sin(math.pi * (1.5 * time + phase)).abs(),
        "circling": swing * torch.sin(turn),
    }
    return offsets_x, offsets_y


def _select_motion(scenes: Scenes, offsets: dict[str, torch.Tensor], like: torch.Tensor) -> torch.Tensor:
    """The offset of each object's own motion; zero if `offsets` lacks it."""
    motion = scenes.motion.unsqueeze(2)
    return sum(
        (torch.where(motion == MOTION_INDEX[name], move, 0.0) for name, move in offsets.items()), torch.zeros_like(like)
    )
