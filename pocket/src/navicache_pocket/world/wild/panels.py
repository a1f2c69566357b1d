"""The quilt behind the objects: square tiles, each with a pattern, two colours and a motion of its own."""

import math

import torch

from navicache_pocket.world.wild.scenes import DIRECTIONS, PANEL_COLOURS, PATTERNS, TURNS, WildScenes

EDGE = 2.0  # how sharp patterns are


def find_velocity(motion: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Direction of each motion as a unit vector (x, y); zero for the one that stands still.

    Example:
        >>> [round(value.item()) for value in find_velocity(torch.tensor(2))]
        [0, 1]
    """
    angle = motion * (2 * math.pi / DIRECTIONS)
    moves = motion < DIRECTIONS
    return torch.cos(angle) * moves, torch.sin(angle) * moves


def paint_quilt(scenes: WildScenes, x: torch.Tensor, y: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
    """Colours (scenes, 3, frames, height, width) of the points (x, y), -1 to 1, at these times, 0 to 1."""
    side = math.isqrt(scenes.pattern.shape[1])
    row, column = ((side * (at + 1) / 2).long().clamp(max=side - 1) for at in (y, x))
    tile = (row * side + column).squeeze((0, 1))

    def spread(values: torch.Tensor) -> torch.Tensor:
        return values[:, tile].unsqueeze(1)

    speed_x, speed_y = (spread(part) for part in find_velocity(scenes.panel_motion))
    travel = scenes.travel.view(-1, 1, 1, 1) * (time - 0.5)
    local_x, local_y = side * (x + 1) - 2 * column - 1, side * (y + 1) - 2 * row - 1
    angle = spread(scenes.turn) * (2 * math.pi / TURNS)
    moved_x, moved_y = local_x - travel * speed_x, local_y - travel * speed_y
    u = torch.cos(angle) * moved_x + torch.sin(angle) * moved_y
    v = torch.cos(angle) * moved_y - torch.sin(angle) * moved_x
    share = _shade_pattern(spread(scenes.pattern), u, v).unsqueeze(1)
    palette = torch.tensor([*PANEL_COLOURS.values()], device=x.device)
    low, high = (palette[part][:, tile].permute(0, 3, 1, 2).unsqueeze(2) for part in scenes.panel_colour.unbind(2))
    return low + (high - low) * share


def _shade_pattern(pattern: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Share of a tile's second colour at each point; all patterns are coarse, with soft edges."""
    shares = {
        "halves": torch.sigmoid(EDGE * u),
        "stripe": torch.sigmoid(EDGE * torch.cos(2.6 * u)),
        "checks": torch.sigmoid(EDGE * torch.sin(1.7 * u) * torch.sin(1.7 * v)),
        "corner": torch.sigmoid(EDGE * torch.minimum(u, v)),
    }
    chosen = shares[PATTERNS[0]]
    for number, name in enumerate(PATTERNS[1:], 1):
        chosen = torch.where(pattern == number, shares[name], chosen)
    return chosen
