"""Scenes into videos, in batches, on any device."""

import torch

from navicache.pocket.world import backgrounds, shapes, words
from navicache.pocket.world.paths import follow
from navicache.pocket.world.scenes import Scenes

FRAMES, SIZE = 17, 128
PAN, ZOOM = 0.24, 0.25


def render(scenes: Scenes, frames: int = FRAMES, size: int = SIZE) -> torch.Tensor:
    """Videos (scenes, 3, frames, size, size) with values in [-1, 1].

    Example:
        >>> from navicache.pocket.world.scenes import draw
        >>> tuple(render(draw(2, seed=0), frames=5, size=32).shape)
        (2, 3, 5, 32, 32)
    """
    x, y = _view(scenes, frames, size)
    free = [column.view(-1, 1, 1, 1) for column in scenes.scene_freedom.unbind(1)]
    image = backgrounds.paint(scenes.background.view(-1, 1, 1, 1, 1), torch.stack(free), x, y)
    paths = follow(scenes, frames)
    for which in (0, 1):
        place = [track[:, which].view(-1, frames, 1, 1) for track in (paths.x, paths.y, paths.angle, paths.radius)]
        image = _add(image, scenes, which, x, y, *place)
    return image.clamp(0, 1) * 2 - 1


def _view(scenes: Scenes, frames: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Points of the world that the camera sees: (scenes, frames, size, size) each."""
    device = scenes.camera.device
    half = (torch.arange(size, device=device) + 0.5) * 2 / size - 1
    time = torch.linspace(0, 1, frames, device=device).view(1, -1, 1, 1)
    camera = scenes.camera.view(-1, 1, 1, 1)
    pan = torch.where(camera == words.CAMERAS.index("panning"), PAN * (time - 0.5), 0.0)
    zoom = torch.where(camera == words.CAMERAS.index("zooming in"), 1 - ZOOM * time, 1.0)
    x = half.view(1, 1, 1, -1) * zoom + pan
    y = half.view(1, 1, -1, 1) * zoom
    return x + 0 * y, y + 0 * x


def _add(
    image: torch.Tensor,
    scenes: Scenes,
    which: int,
    x: torch.Tensor,
    y: torch.Tensor,
    left: torch.Tensor,
    top: torch.Tensor,
    angle: torch.Tensor,
    radius: torch.Tensor,
) -> torch.Tensor:
    """Draw one object and its shadow over what is there."""
    shape, texture = (column[:, which].view(-1, 1, 1, 1) for column in (scenes.shape, scenes.texture))
    there = (scenes.pair if which else torch.ones_like(scenes.pair)).view(-1, 1, 1, 1)
    dx, dy = (x - left) / radius, (y - top) / radius
    cos, sin = torch.cos(angle), torch.sin(angle)
    u, v = cos * dx + sin * dy, cos * dy - sin * dx
    shadow_u, shadow_v = u - 0.3 * (cos + sin), v - 0.3 * (cos - sin)
    shadow = 0.32 * there * (-7 * shapes.distance(shape, shadow_u, shadow_v)).sigmoid()
    pixel = 2 / x.shape[-1]
    cover = there * (-1.6 * shapes.distance(shape, u, v) * radius / pixel).sigmoid()
    brightness, gloss = shapes.light(shape, dx, dy)
    palette = torch.tensor(list(words.COLOURS.values()), device=x.device)
    colour = palette[scenes.colour[:, which]] * (0.9 + 0.1 * scenes.object_freedom[:, which, 6:7])
    surface = colour.view(-1, 3, 1, 1, 1) * (brightness * shapes.pattern(texture, u, v)).unsqueeze(1)
    surface = surface + gloss.unsqueeze(1)
    image = image * (1 - shadow.unsqueeze(1))
    return image + (surface - image) * cover.unsqueeze(1)
