"""Renders scenes as videos, in batches, on any device."""

import torch

from navicache_pocket.world import backgrounds, shapes, words
from navicache_pocket.world.paths import ObjectPaths, trace_paths
from navicache_pocket.world.scenes import Scenes

FRAMES, SIZE = 17, 128
PAN_DISTANCE, ZOOM_SHARE = 0.24, 0.25


def render_videos(scenes: Scenes, frames: int = FRAMES, size: int = SIZE) -> torch.Tensor:
    """Videos (scenes, 3, frames, size, size) with values in [-1, 1].

    Example:
        >>> from navicache_pocket.world.scenes import draw_scenes
        >>> tuple(render_videos(draw_scenes(2, seed=0), frames=5, size=32).shape)
        (2, 3, 5, 32, 32)
    """
    return draw_objects(paint_background(scenes, frames, size), scenes).clamp(0, 1) * 2 - 1


def paint_background(scenes: Scenes, frames: int, size: int) -> torch.Tensor:
    """Pictures without objects, with values near [0, 1]."""
    x, y = _locate_pixels(scenes, frames, size)
    variation = [column.view(-1, 1, 1, 1) for column in scenes.scene_variation.unbind(1)]
    return backgrounds.paint_background(scenes.background.view(-1, 1, 1, 1, 1), torch.stack(variation), x, y)


def draw_objects(image: torch.Tensor, scenes: Scenes) -> torch.Tensor:
    """Draw the objects of these scenes over the pictures."""
    frames, size = image.shape[-3], image.shape[-1]
    x, y = _locate_pixels(scenes, frames, size)
    paths = trace_paths(scenes, frames)
    for which in (0, 1):
        image = _draw_object(image, scenes, which, x, y, paths)
    return image


def mask_objects(scenes: Scenes, frames: int = FRAMES, size: int = SIZE) -> torch.Tensor:
    """Which pixels show an object: (scenes, frames, size, size).

    Example:
        >>> from navicache_pocket.world.scenes import draw_scenes
        >>> 0 < mask_objects(draw_scenes(3, seed=0), frames=5, size=32).float().mean() < 0.5
        tensor(True)
    """
    x, y = _locate_pixels(scenes, frames, size)
    paths = trace_paths(scenes, frames)
    points = (_rotate_to_object(*_to_object_coordinates(x, y, paths, which), paths, which) for which in (0, 1))
    coverage = (_measure_coverage(scenes, which, *points, paths) for which, points in enumerate(points))
    return torch.maximum(*coverage) > 0.5


def locate_objects(scenes: Scenes, frames: int = FRAMES, size: int = SIZE) -> torch.Tensor:
    """Row and column of each object's centre in each frame, in pixels: (scenes, 2, frames, 2).

    A missing second object gets the position of the first.

    Example:
        >>> from navicache_pocket.world.scenes import draw_scenes
        >>> tuple(locate_objects(draw_scenes(3, seed=0), frames=5).shape)
        (3, 2, 5, 2)
    """
    paths = trace_paths(scenes, frames)
    pan, zoom = (value.view(-1, 1, frames) for value in _compute_camera_motion(scenes, frames))
    positions = torch.stack([paths.y / zoom, (paths.x - pan) / zoom], -1)
    positions = torch.where(scenes.has_pair.view(-1, 1, 1, 1), positions, positions[:, :1])
    return (positions + 1) * size / 2


def _locate_pixels(scenes: Scenes, frames: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """World coordinates of each pixel: (scenes, frames, size, size) each."""
    centres = (torch.arange(size, device=scenes.camera.device) + 0.5) * 2 / size - 1
    pan, zoom = _compute_camera_motion(scenes, frames)
    x = centres.view(1, 1, 1, -1) * zoom + pan
    y = centres.view(1, 1, -1, 1) * zoom
    return x + 0 * y, y + 0 * x


def _compute_camera_motion(scenes: Scenes, frames: int) -> tuple[torch.Tensor, torch.Tensor]:
    """How far the camera has panned, and the visible share of the world: (scenes, frames, 1, 1) each."""
    time = torch.linspace(0, 1, frames, device=scenes.camera.device).view(1, -1, 1, 1)
    camera = scenes.camera.view(-1, 1, 1, 1)
    pan = torch.where(camera == words.CAMERAS.index("panning"), PAN_DISTANCE * (time - 0.5), 0.0)
    zoom = torch.where(camera == words.CAMERAS.index("zooming in"), 1 - ZOOM_SHARE * time, 1.0)
    return pan, zoom


def _draw_object(
    image: torch.Tensor, scenes: Scenes, which: int, x: torch.Tensor, y: torch.Tensor, paths: ObjectPaths
) -> torch.Tensor:
    """Draw one object and its shadow over what is there."""
    shape, texture = (column[:, which].view(-1, 1, 1, 1) for column in (scenes.shape, scenes.texture))
    dx, dy = _to_object_coordinates(x, y, paths, which)
    u, v = _rotate_to_object(dx, dy, paths, which)
    angle = _select_object(paths.angle, which)
    cos, sin = torch.cos(angle), torch.sin(angle)
    shadow_u, shadow_v = u - 0.3 * (cos + sin), v - 0.3 * (cos - sin)
    shadow = 0.32 * _is_present(scenes, which) * (-7 * shapes.signed_distance(shape, shadow_u, shadow_v)).sigmoid()
    brightness, gloss = shapes.shade_surface(shape, dx, dy)
    palette = torch.tensor(list(words.COLOURS.values()), device=x.device)
    colour = palette[scenes.colour[:, which]] * (0.9 + 0.1 * scenes.object_variation[:, which, 6:7])
    surface = colour.view(-1, 3, 1, 1, 1) * (brightness * shapes.shade_texture(texture, u, v)).unsqueeze(1)
    surface = surface + gloss.unsqueeze(1)
    image = image * (1 - shadow.unsqueeze(1))
    return image + (surface - image) * _measure_coverage(scenes, which, u, v, paths).unsqueeze(1)


def _measure_coverage(scenes: Scenes, which: int, u: torch.Tensor, v: torch.Tensor, paths: ObjectPaths) -> torch.Tensor:
    """How much of each pixel an object covers, 0 to 1; (u, v) are the pixels in the object's coordinates."""
    shape = scenes.shape[:, which].view(-1, 1, 1, 1)
    pixel = 2 / u.shape[-1]
    inside = -1.6 * shapes.signed_distance(shape, u, v) * _select_object(paths.radius, which) / pixel
    return _is_present(scenes, which) * inside.sigmoid()


def _to_object_coordinates(
    x: torch.Tensor, y: torch.Tensor, paths: ObjectPaths, which: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The points relative to an object's centre, in its radii."""
    radius = _select_object(paths.radius, which)
    return (x - _select_object(paths.x, which)) / radius, (y - _select_object(paths.y, which)) / radius


def _rotate_to_object(
    dx: torch.Tensor, dy: torch.Tensor, paths: ObjectPaths, which: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Rotate these coordinates to the object's own axes."""
    angle = _select_object(paths.angle, which)
    cos, sin = torch.cos(angle), torch.sin(angle)
    return cos * dx + sin * dy, cos * dy - sin * dx


def _select_object(track: torch.Tensor, which: int) -> torch.Tensor:
    return track[:, which].unsqueeze(-1).unsqueeze(-1)


def _is_present(scenes: Scenes, which: int) -> torch.Tensor:
    return (scenes.has_pair if which else torch.ones_like(scenes.has_pair)).view(-1, 1, 1, 1)
