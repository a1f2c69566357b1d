"""The caption grammar: turns scenes into sentences."""

import torch

from navicache_pocket.world import words
from navicache_pocket.world.scenes import Scenes

MAX_CAPTION_TOKENS = 32  # tokens of the longest caption with its end token, rounded up


def list_vocabulary() -> list[str]:
    """Every word a caption can hold, sorted.

    Example:
        >>> "striped" in list_vocabulary(), "dog" in list_vocabulary()
        (True, False)
    """
    groups = (words.COLOURS, words.SHAPES, words.TEXTURES[1:], words.SIZES, words.MOTIONS, words.BACKGROUNDS)
    spoken = [phrase for group in groups for phrase in group]
    grammar = ["a and in front of , camera", *words.CAMERAS[1:]]
    return sorted({word for phrase in (*spoken, *grammar) for word in phrase.split()})


def write_captions(scenes: Scenes) -> list[str]:
    """One sentence per scene.

    Example:
        >>> from navicache_pocket.world.scenes import draw_scenes
        >>> write_captions(draw_scenes(1, seed=5))
        ['a small cyan striped ball standing still and a small blue star bouncing in front of a striped wall']
    """
    columns = (scenes.size, scenes.colour, scenes.texture, scenes.shape, scenes.motion)
    objects = torch.stack(columns, 2).tolist()
    places = zip(scenes.background.tolist(), scenes.camera.tolist(), strict=True)
    counts = (1 + scenes.has_pair.int()).tolist()
    rows = zip(objects, counts, places, strict=True)
    return [_write_sentence(things[:count], *place) for things, count, place in rows]


def _write_sentence(things: list[list[int]], background: int, camera: int) -> str:
    phrases = " and ".join(_describe_object(*thing) for thing in things)
    view = f", camera {words.CAMERAS[camera]}" if camera else ""
    return f"{phrases} in front of {words.BACKGROUNDS[background]}{view}"


def _describe_object(size: int, colour: int, texture: int, shape: int, motion: int) -> str:
    tables = (tuple(words.SIZES), tuple(words.COLOURS), ("", *words.TEXTURES[1:]), words.SHAPES, words.MOTIONS)
    named = (table[index] for table, index in zip(tables, (size, colour, texture, shape, motion), strict=True))
    return " ".join(word for word in ("a", *named) if word)
