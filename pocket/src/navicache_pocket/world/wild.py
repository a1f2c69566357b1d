"""Scenes of which a caption tells little: a crowd of objects, and the caption names the shapes of one or two.

Looks, sizes, places, motions, background and camera are left to the noise.
"""

from collections.abc import Callable
from dataclasses import replace

import torch

from navicache_pocket.world import words
from navicache_pocket.world.render import FRAMES, SIZE, draw_objects, paint_background
from navicache_pocket.world.scenes import Scenes, draw_scenes

CROWD = 6  # objects; a few of them may be outside the picture, or behind another
PAIR_CAPTIONS = 0.5  # share of the captions that name two shapes
# Where the variations of an object are drawn from: wider than in the world of `wan`, where all are drawn from 0 to 1.
START_X, START_Y, BULK = (-4.0, 5.0), (-1.0, 2.0), (-2.0, 0.5)

Crowd = tuple[Scenes, ...]  # two objects each; background and camera are those of the first


def draw_wild_scenes(count: int, seed: int, crowd: int = CROWD) -> Crowd:
    """Random scenes with `crowd` objects each, an even number.

    Example:
        >>> [len(scenes) for scenes in draw_wild_scenes(4, seed=0)]
        [4, 4, 4]
    """
    if crowd < 2 or crowd % 2:
        raise ValueError(f"crowd must be an even number from 2 on, got {crowd}")
    first, *others = (_spread_out(draw_scenes(count, seed * crowd + layer)) for layer in range(crowd // 2))
    return first, *(replace(scenes, camera=first.camera) for scenes in others)


def _spread_out(scenes: Scenes) -> Scenes:
    variation = scenes.object_variation.clone()
    for column, (low, high) in {0: START_X, 1: START_Y, 5: BULK}.items():
        variation[..., column] = low + (high - low) * variation[..., column]
    return replace(scenes, has_pair=torch.ones_like(scenes.has_pair), object_variation=variation)


def render_wild_videos(
    scenes: Crowd, frames: int = FRAMES, size: int = SIZE, draw: Callable[..., torch.Tensor] = draw_objects
) -> torch.Tensor:
    """Videos (scenes, 3, frames, size, size) with values in [-1, 1]; `draw` may be `draw_objects`, compiled.

    Example:
        >>> tuple(render_wild_videos(draw_wild_scenes(2, seed=0), frames=5, size=32).shape)
        (2, 3, 5, 32, 32)
    """
    image = paint_background(scenes[0], frames, size)
    for layer in reversed(scenes):  # the objects that captions name are in front
        image = draw(image, layer)
    return image.clamp(0, 1) * 2 - 1


def list_wild_captions() -> list[str]:
    """Every caption.

    Example:
        >>> captions = list_wild_captions()
        >>> len(captions), captions[0], captions[-1]
        (42, 'a ball', 'a cross and a cross')
    """
    pairs = [f"a {first} and a {second}" for first in words.SHAPES for second in words.SHAPES]
    return [*(f"a {shape}" for shape in words.SHAPES), *pairs]


def number_wild_captions(scenes: Crowd) -> torch.Tensor:
    """The place of each scene's caption in `list_wild_captions`."""
    front, kinds = scenes[0], len(words.SHAPES)
    names_two = front.scene_variation[:, -1] < PAIR_CAPTIONS  # a variation that no background reads
    first, second = front.shape.unbind(1)
    return torch.where(names_two, kinds + kinds * first + second, first)


def select_scenes(scenes: Crowd, rows: slice, device: str = "cpu") -> Crowd:
    """The scenes of these rows, on a device."""
    return tuple(layer[rows].to(device) for layer in scenes)


def write_wild_captions(scenes: Crowd) -> list[str]:
    """One sentence per scene.

    Example:
        >>> write_wild_captions(draw_wild_scenes(2, seed=3))
        ['a triangle', 'a cross']
    """
    captions = list_wild_captions()
    return [captions[number] for number in number_wild_captions(scenes).tolist()]
