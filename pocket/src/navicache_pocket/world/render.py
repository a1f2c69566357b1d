"""Scenes into videos, in batches, on any device."""

import torch

from navicache_pocket.world import backgrounds, shapes, words
from navicache_pocket.world.paths import Paths, follow
from navicache_pocket.world.scenes import Scenes

FRAMES, SIZE = 17, 128
PAN, ZOOM = 0.24, 0.25


def render(scenes: Scenes, frames: int = FRAMES, size: int = SIZE) -> torch.Tensor:
    """Videos (scenes, 3, frames, size, size) with values in [-1, 1].

    Example:
        >>> from navicache_pocket.world.scenes import draw
        >>> tuple(render(draw(2, seed=0), frames=5, size=32).shape)
        (2, 3, 5, 32, 32)
    """
    x, y = _view(scenes, frames, size)
    free = [column.view(-1, 1, 1, 1) for column in scenes.scene_freedom.unbind(1)]
    image = backgrounds.paint(scenes.background.view(-1, 1, 1, 1, 1), torch.stack(free), x, y)
    paths = follow(scenes, frames)
    for which in (0, 1):
        image = _add(image, scenes, which, x, y, paths)
    return image.clamp(0, 1) * 2 - 1


def covered(scenes: Scenes, frames: int = FRAMES, size: int = SIZE) -> torch.Tensor:
    """Which pixels show an object: (scenes, frames, size, size).

    Example:
        >>> from navicache_pocket.world.scenes import draw
        >>> 0 < covered(draw(3, seed=0), frames=5, size=32).float().mean() < 0.5
        tensor(True)
    """
    x, y = _view(scenes, frames, size)
    paths = follow(scenes, frames)
    turned = (_turned(*_beside(x, y, paths, which), paths, which) for which in (0, 1))
    parts = (_cover(scenes, which, *points, paths) for which, points in enumerate(turned))
    return torch.maximum(*parts) > 0.5


def seen_at(scenes: Scenes, frames: int = FRAMES, size: int = SIZE) -> torch.Tensor:
    """Row and column of each object's middle in each frame, in pixels: (scenes, 2, frames, 2).

    A second object that is not there is given the place of the first.

    Example:
        >>> from navicache_pocket.world.scenes import draw
        >>> tuple(seen_at(draw(3, seed=0), frames=5).shape)
        (3, 2, 5, 2)
    """
    paths = follow(scenes, frames)
    pan, zoom = (value.view(-1, 1, frames) for value in _camera(scenes, frames))
    places = torch.stack([paths.y / zoom, (paths.x - pan) / zoom], -1)
    places = torch.where(scenes.pair.view(-1, 1, 1, 1), places, places[:, :1])
    return (places + 1) * size / 2


def _view(scenes: Scenes, frames: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Points of the world that the camera sees: (scenes, frames, size, size) each."""
    half = (torch.arange(size, device=scenes.camera.device) + 0.5) * 2 / size - 1
    pan, zoom = _camera(scenes, frames)
    x = half.view(1, 1, 1, -1) * zoom + pan
    y = half.view(1, 1, -1, 1) * zoom
    return x + 0 * y, y + 0 * x


def _camera(scenes: Scenes, frames: int) -> tuple[torch.Tensor, torch.Tensor]:
    """How far the camera has panned and how much of the world it sees: (scenes, frames, 1, 1) each."""
    time = torch.linspace(0, 1, frames, device=scenes.camera.device).view(1, -1, 1, 1)
    camera = scenes.camera.view(-1, 1, 1, 1)
    pan = torch.where(camera == words.CAMERAS.index("panning"), PAN * (time - 0.5), 0.0)
    zoom = torch.where(camera == words.CAMERAS.index("zooming in"), 1 - ZOOM * time, 1.0)
    return pan, zoom


def _add(
    image: torch.Tensor, scenes: Scenes, which: int, x: torch.Tensor, y: torch.Tensor, paths: Paths
) -> torch.Tensor:
    """Draw one object and its shadow over what is there."""
    shape, texture = (column[:, which].view(-1, 1, 1, 1) for column in (scenes.shape, scenes.texture))
    dx, dy = _beside(x, y, paths, which)
    u, v = _turned(dx, dy, paths, which)
    angle = _of(paths.angle, which)
    cos, sin = torch.cos(angle), torch.sin(angle)
    shadow_u, shadow_v = u - 0.3 * (cos + sin), v - 0.3 * (cos - sin)
    shadow = 0.32 * _there(scenes, which) * (-7 * shapes.distance(shape, shadow_u, shadow_v)).sigmoid()
    brightness, gloss = shapes.light(shape, dx, dy)
    palette = torch.tensor(list(words.COLOURS.values()), device=x.device)
    colour = palette[scenes.colour[:, which]] * (0.9 + 0.1 * scenes.object_freedom[:, which, 6:7])
    surface = colour.view(-1, 3, 1, 1, 1) * (brightness * shapes.pattern(texture, u, v)).unsqueeze(1)
    surface = surface + gloss.unsqueeze(1)
    image = image * (1 - shadow.unsqueeze(1))
    return image + (surface - image) * _cover(scenes, which, u, v, paths).unsqueeze(1)


def _cover(scenes: Scenes, which: int, u: torch.Tensor, v: torch.Tensor, paths: Paths) -> torch.Tensor:
    """How much of each pixel an object covers, 0 to 1, told where the pixel is seen from the object."""
    shape = scenes.shape[:, which].view(-1, 1, 1, 1)
    pixel = 2 / u.shape[-1]
    inside = -1.6 * shapes.distance(shape, u, v) * _of(paths.radius, which) / pixel
    return _there(scenes, which) * inside.sigmoid()


def _beside(x: torch.Tensor, y: torch.Tensor, paths: Paths, which: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The points seen from an object's middle, in its radii."""
    radius = _of(paths.radius, which)
    return (x - _of(paths.x, which)) / radius, (y - _of(paths.y, which)) / radius


def _turned(dx: torch.Tensor, dy: torch.Tensor, paths: Paths, which: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The same along the object's own axes."""
    angle = _of(paths.angle, which)
    cos, sin = torch.cos(angle), torch.sin(angle)
    return cos * dx + sin * dy, cos * dy - sin * dx


def _of(track: torch.Tensor, which: int) -> torch.Tensor:
    return track[:, which].unsqueeze(-1).unsqueeze(-1)


def _there(scenes: Scenes, which: int) -> torch.Tensor:
    return (scenes.pair if which else torch.ones_like(scenes.pair)).view(-1, 1, 1, 1)
