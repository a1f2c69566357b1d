"""The shapes as signed distances (negative inside, in units of the radius), and how their surfaces look."""

import math

import torch

from navicache_pocket.world import words


def signed_distance(shape: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Distance of the points (u, v) to the outline of each object; `shape` is an index into `words.SHAPES`."""
    radius = torch.sqrt(u * u + v * v + 1e-6)
    outlines = {
        "ball": radius - 1,
        "cube": _measure_box_distance(u, v, 0.74, 0.74) - 0.08,
        "triangle": torch.maximum(0.866 * u.abs() - 0.5 * v - 0.52, v - 0.72),
        "star": _measure_star_distance(u, v, radius),
        "ring": (radius - 0.72).abs() - 0.25,
        "cross": torch.minimum(_measure_box_distance(u, v, 0.30, 0.92), _measure_box_distance(u, v, 0.92, 0.30)),
    }
    chosen = outlines["ball"]
    for index, name in enumerate(words.SHAPES):
        chosen = torch.where(shape == index, outlines[name], chosen)
    return chosen


def shade_surface(shape: torch.Tensor, dx: torch.Tensor, dy: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Brightness and gloss of a surface lit from the upper left; only the ball is round."""
    depth = torch.sqrt((1 - dx * dx - dy * dy).clamp(min=0.02))
    facing = (-0.45 * dx - 0.55 * dy + 0.75 * depth).clamp(0, 1.2)
    round_ = shape == words.SHAPES.index("ball")
    brightness = torch.where(round_, 0.45 + 0.62 * facing, (0.90 - 0.16 * (dx + dy)).clamp(0.55, 1.1))
    return brightness, torch.where(round_, ((facing - 0.95) * 4).clamp(0, 0.5), 0.0)


def shade_texture(texture: torch.Tensor, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Factor of the colour at each point of a texture, between 0.45 and 1."""
    stripes = (4 * torch.sin(2 * math.pi * u * 1.4)).sigmoid()
    dots = (9 * (torch.sin(2 * math.pi * u * 1.15) * torch.sin(2 * math.pi * v * 1.15) - 0.25)).sigmoid()
    none = torch.zeros_like(stripes)
    dark = torch.where(texture == 1, stripes, torch.where(texture == 2, dots, none))
    return 1 - 0.55 * dark


def _measure_star_distance(
    u: torch.Tensor, v: torch.Tensor, radius: torch.Tensor, points: int = 5, waist: float = 0.45
) -> torch.Tensor:
    """By symmetry the plane is folded into half a point, whose edge runs from the tip at 1 to the waist."""
    sector = 2 * math.pi / points
    turn = torch.atan2(u, -v)
    folded = (turn - sector * torch.round(turn / sector)).abs()
    tip_x, tip_y = waist * math.cos(sector / 2), waist * math.sin(sector / 2)
    length = math.hypot(1 - tip_x, tip_y)
    normal_x, normal_y = tip_y / length, (1 - tip_x) / length
    return (radius * torch.cos(folded) - 1) * normal_x + radius * torch.sin(folded) * normal_y


def _measure_box_distance(u: torch.Tensor, v: torch.Tensor, width: float, height: float) -> torch.Tensor:
    across, along = u.abs() - width, v.abs() - height
    outside = torch.sqrt(across.clamp(min=0) ** 2 + along.clamp(min=0) ** 2 + 1e-9)
    return outside + torch.maximum(across, along).clamp(max=0)
