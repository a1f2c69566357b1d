"""The backgrounds: pale or dark, never strongly coloured, so that objects stand out."""

import torch

Colour = tuple[float, float, float]


def paint_background(
    background: torch.Tensor, variation: torch.Tensor, x: torch.Tensor, y: torch.Tensor
) -> torch.Tensor:
    """Colours (scenes, 3, frames, height, width) of the points (x, y); `variation` is what the caption leaves open."""
    painters = (
        _paint_blue_sky,
        _paint_sunset,
        _paint_night_sky,
        _paint_checkered_floor,
        _paint_green_hills,
        _paint_striped_wall,
    )
    image = painters[0](variation, x, y)
    for index, painter in enumerate(painters[1:], 1):
        image = torch.where(background == index, painter(variation, x, y), image)
    return image


def _blend_colours(low: torch.Tensor | Colour, high: torch.Tensor | Colour, share: torch.Tensor) -> torch.Tensor:
    """Blend two colours by the share at each point."""
    first, second = (_to_colour_tensor(value, share) for value in (low, high))
    return first + (second - first) * share.unsqueeze(1)


def _to_colour_tensor(value: torch.Tensor | Colour, like: torch.Tensor) -> torch.Tensor:
    if torch.is_tensor(value):
        return value
    return torch.tensor(value, device=like.device, dtype=like.dtype).view(1, 3, 1, 1, 1)


def _smooth_step(distance: torch.Tensor, sharpness: float = 55.0) -> torch.Tensor:
    """0 on one side of a line, 1 on the other, with a soft edge."""
    return (distance * sharpness).sigmoid()


def _compute_wave(x: torch.Tensor, turns: float, phase: torch.Tensor) -> torch.Tensor:
    return torch.sin(turns * x + 6.283 * phase)


def _paint_blue_sky(variation: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    clear = _blend_colours((0.60, 0.75, 0.92), (0.84, 0.91, 0.97), (y + 1) / 2)
    billow = _compute_wave(x, 3.1, variation[0]) * _compute_wave(y, 4.3, variation[1]) + 0.5 * _compute_wave(
        x + y, 6.1, variation[2]
    )
    return _blend_colours(clear, (0.96, 0.97, 0.98), 0.8 * (4 * (billow - 0.45)).sigmoid())


def _paint_sunset(variation: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    glow = _blend_colours((0.47, 0.38, 0.53), (0.93, 0.73, 0.61), ((y + 1) / 2).clamp(0, 1))
    sun = torch.sqrt((x - 1.2 * (variation[0] - 0.5)) ** 2 + (y - 0.45) ** 2 + 1e-6)
    glow = _blend_colours(glow, (0.99, 0.92, 0.80), _smooth_step(0.24 - sun))
    return _blend_colours(glow, (0.36, 0.30, 0.38), _smooth_step(y - 0.62 - 0.04 * _compute_wave(x, 5.0, variation[1])))


def _paint_night_sky(variation: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    dark = _blend_colours((0.03, 0.03, 0.09), (0.12, 0.13, 0.23), (y + 1) / 2)
    stars = _compute_wave(x, 9.0, variation[0]) * _compute_wave(y, 11.0, variation[1]) + 0.45 * _compute_wave(
        x - 0.7 * y, 4.0, variation[2]
    )
    return _blend_colours(dark, (0.95, 0.95, 0.88), (22 * (stars - 1.22)).sigmoid())


def _paint_checkered_floor(variation: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    wall = _blend_colours((0.66, 0.69, 0.73), (0.80, 0.82, 0.84), (y + 1) / 2)
    depth = (y - 0.1).clamp(min=0.08)
    checks = 9 * torch.sin(3.2 * x / depth + 6.283 * variation[0]) * torch.sin(3.2 / depth + 6.283 * variation[1])
    far = ((y - 0.18) * 3).clamp(0, 1)  # squares too small to be seen fade to their mean
    tiles = _blend_colours((0.30, 0.29, 0.28), (0.74, 0.72, 0.69), 0.5 + (checks.sigmoid() - 0.5) * far)
    return _blend_colours(wall, tiles, _smooth_step(y - 0.1))


def _paint_green_hills(variation: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    sky = _blend_colours((0.72, 0.83, 0.92), (0.92, 0.95, 0.96), (y + 1) / 1.4)
    back = 0.12 + 0.16 * _compute_wave(x, 2.6, variation[0]) + 0.05 * _compute_wave(x, 6.0, variation[1])
    front = 0.48 + 0.12 * _compute_wave(x, 3.3, variation[2]) + 0.04 * _compute_wave(x, 7.0, variation[3])
    sky = _blend_colours(sky, (0.56, 0.68, 0.49), _smooth_step(y - back))
    return _blend_colours(sky, (0.41, 0.54, 0.36), _smooth_step(y - front))


def _paint_striped_wall(variation: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    stripes = _blend_colours(
        (0.87, 0.80, 0.69), (0.70, 0.62, 0.52), (5 * _compute_wave(x, 11.0, variation[0])).sigmoid()
    )
    return stripes * (1 - 0.08 * (y.unsqueeze(1) + 1))
