"""Renders wild scenes as videos, in batches, on any device."""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from navicache_pocket.world import shapes, words
from navicache_pocket.world.wild.panels import find_velocity, paint_quilt
from navicache_pocket.world.wild.scenes import Thing, WildScenes

FRAMES, SIZE = 17, 128
NIGHT = 0.75  # brightness of a dark scene
SPIN = 0.3  # radians in a video
JITTER = 1.0  # of an object's place, in units of its travel
EDGE = 1.2  # how sharp outlines are, by pixel: wan's autoencoder smears sharper ones


def render_wild_videos(scenes: WildScenes, frames: int = FRAMES, size: int = SIZE) -> torch.Tensor:
    """Videos (scenes, 3, frames, size, size) with values in [-1, 1].

    On a GPU its parts are compiled: one object, which is small and the same for all.

    Example:
        >>> from navicache_pocket.world.wild.scenes import draw_wild_scenes
        >>> tuple(render_wild_videos(draw_wild_scenes(2, seed=0), frames=5, size=32).shape)
        (2, 3, 5, 32, 32)
    """
    device = scenes.hue.device
    prepare: Any = _compile if device.type == "cuda" else lambda function: function
    centres = (torch.arange(size, device=device) + 0.5) * 2 / size - 1
    x, y = centres.view(1, 1, 1, -1), centres.view(1, 1, -1, 1)
    time = torch.linspace(0, 1, frames, device=device).view(1, -1, 1, 1)
    image = paint_quilt(scenes, x, y, time)
    for which in range(scenes.radius.shape[1]):
        image = prepare(_draw_object)(image, scenes.get_object(which), x, y, time)
    night = scenes.mood.view(-1, 1, 1, 1, 1) == 1
    return torch.where(night, NIGHT * image, 0.15 + 0.85 * image).clamp(0, 1) * 2 - 1


@cache
def _compile(function: Callable[..., Any]) -> Any:
    return torch.compile(function)


def _draw_object(
    image: torch.Tensor, thing: Thing, x: torch.Tensor, y: torch.Tensor, time: torch.Tensor
) -> torch.Tensor:
    """Draw one object over what is there; a radius of zero draws nothing."""
    shape, texture, radius = (part.view(-1, 1, 1, 1) for part in (thing.shape, thing.texture, thing.radius))
    dx, dy, angle = _locate_object(thing, x, y, time)
    cos, sin = torch.cos(angle), torch.sin(angle)
    scale = radius.clamp(min=0.05)
    dx, dy = dx / scale, dy / scale
    u, v = cos * dx + sin * dy, cos * dy - sin * dx
    pixel = 2 / image.shape[-1]
    coverage = (-EDGE * shapes.signed_distance(shape, u, v) * scale / pixel).sigmoid() * (radius > 0)
    brightness, _ = shapes.shade_surface(shape, dx, dy)
    colour = torch.tensor([*words.COLOURS.values()], device=image.device)[thing.colour]
    surface = colour.view(-1, 3, 1, 1, 1) * (brightness * shapes.shade_texture(texture, u, v)).unsqueeze(1)
    return image + (surface - image) * coverage.unsqueeze(1)


def _locate_object(
    thing: Thing, x: torch.Tensor, y: torch.Tensor, time: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The points relative to an object's centre, and its angle, at each time."""
    speed_x, speed_y = (part.view(-1, 1, 1, 1) for part in find_velocity(thing.motion))
    shift_x, shift_y, distance, tilt, spin, _ = (part.view(-1, 1, 1, 1) for part in thing.variation.unbind(1))
    centre_x, centre_y = (part.view(-1, 1, 1, 1) for part in thing.place.unbind(1))
    jitter = JITTER * thing.travel.view(-1, 1, 1, 1)
    centre_x, centre_y = centre_x + jitter * (shift_x - 0.5), centre_y + jitter * (shift_y - 0.5)
    travel = thing.travel.view(-1, 1, 1, 1) * (0.5 + distance) * (time - 0.5)
    turns = (3 * spin).floor() - 1  # left, none, right
    return x - centre_x - travel * speed_x, y - centre_y - travel * speed_y, 0.3 * tilt + SPIN * turns * time
