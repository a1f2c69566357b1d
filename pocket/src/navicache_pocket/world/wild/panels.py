"""The panels behind the objects: a layout divides the picture, each panel has its texture, colours and motion."""

import math

import torch

from navicache_pocket.world.wild.scenes import DIRECTIONS, LAYOUTS, PANEL_COLOURS, PANEL_TEXTURES, PANELS, Panel

PANEL_TRAVEL = 0.3  # how far a panel's texture moves in a video, where half the picture's width is 1
FREQUENCIES = (3.0, 4.5, 6.5)  # radians


def find_velocity(motion: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Direction of each motion as a unit vector (x, y); zero for the one that stands still.

    Example:
        >>> [round(value.item()) for value in find_velocity(torch.tensor(2))]
        [0, 1]
    """
    angle = motion * (2 * math.pi / DIRECTIONS)
    moves = motion < DIRECTIONS
    return torch.cos(angle) * moves, torch.sin(angle) * moves


def divide_picture(layout: torch.Tensor, split: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    """How much the second, third and fourth panel cover each point; later ones lie over earlier ones."""
    across, down = ((0.4 * (part - 1)).view(-1, 1, 1, 1) for part in split.unbind(1))
    right, low, none = _soft_step(x - across), _soft_step(y - down), torch.zeros_like(x * across)
    slope = torch.where(down < 0, -1.0, 1.0)
    box = torch.maximum((x - across).abs(), (y - down).abs())
    radius = torch.sqrt((x - across) ** 2 + (y - down) ** 2)
    dividers = {
        "whole": (none, none, none),
        "columns": (right, none, none),
        "rows": (low, none, none),
        "diagonal": (_soft_step((x + slope * y) * 0.7 - across), none, none),
        "quadrants": (right, low, right * low),
        "thirds": (_soft_step(x + 0.34), _soft_step(x - 0.34), none),
        "window": (_soft_step(0.55 - box), none, none),
        "disc": (_soft_step(0.62 - radius), none, none),
    }
    return [
        _choose(layout.view(-1, 1, 1, 1), [dividers[name][place] for name in LAYOUTS]) for place in range(PANELS - 1)
    ]


def paint_panel(panel: Panel, x: torch.Tensor, y: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
    """Colours (scenes, 3, frames, height, width) of the points (x, y) at these times, 0 to 1, on one panel."""
    speed_x, speed_y = (part.view(-1, 1, 1, 1) for part in find_velocity(panel.motion))
    turn, frequency, phase, bend, shade, _ = (part.view(-1, 1, 1, 1) for part in panel.variation.unbind(1))
    angle = math.pi / 4 * (4 * turn).floor() + 0.15 * (bend - 0.5)
    moved_x, moved_y = (at - PANEL_TRAVEL * (time - 0.5) * speed for at, speed in ((x, speed_x), (y, speed_y)))
    u = torch.cos(angle) * moved_x + torch.sin(angle) * moved_y
    v = torch.cos(angle) * moved_y - torch.sin(angle) * moved_x
    rate = torch.tensor(FREQUENCIES, device=x.device)[(frequency * len(FREQUENCIES)).long()]
    share = _shade_texture(panel.texture.view(-1, 1, 1, 1), u, v, rate, math.pi * (phase > 0.5))
    palette = torch.tensor([*PANEL_COLOURS.values()], device=x.device)
    low, high = (part.view(-1, 3, 1, 1, 1) for part in palette[panel.colours].unbind(1))
    return (low + (high - low) * share.unsqueeze(1)) * (0.9 + 0.1 * shade.unsqueeze(1))


def _shade_texture(
    texture: torch.Tensor, u: torch.Tensor, v: torch.Tensor, rate: torch.Tensor, phase: torch.Tensor
) -> torch.Tensor:
    """Share of a panel's second colour at each point; all patterns are coarse, with soft edges."""
    wave_u, wave_v = torch.sin(rate * u + phase), torch.sin(rate * v + 0.5)
    shares = {
        "gradient": torch.sigmoid(2.5 * torch.cos(phase) * u),
        "stripes": torch.sigmoid(6 * wave_u),
        "checks": torch.sigmoid(9 * wave_u * wave_v),
        "dots": torch.sigmoid(10 * (wave_u * wave_v - 0.35)),
        "rings": torch.sigmoid(6 * torch.sin(rate * torch.sqrt(u * u + v * v + 1e-4) + phase)),
        "waves": torch.sigmoid(6 * torch.sin(rate * (u + 0.2 * torch.sin(3.5 * v)) + phase)),
    }
    return _choose(texture, [shares[name] for name in PANEL_TEXTURES])


def _choose(index: torch.Tensor, options: list[torch.Tensor]) -> torch.Tensor:
    chosen = options[0]
    for number, option in enumerate(options[1:], 1):
        chosen = torch.where(index == number, option, chosen)
    return chosen


def _soft_step(distance: torch.Tensor) -> torch.Tensor:
    """0 on one side of a line, 1 on the other, with a soft edge."""
    return (55 * distance).sigmoid()
