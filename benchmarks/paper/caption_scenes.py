"""Captions of the embedded world read back into scenes, which say what a video should show."""

import re
from collections.abc import Sequence

import torch

from navicache_pocket.world import Scenes, redraw_details, words
from navicache_pocket.world.scenes import VARIATIONS

OBJECT = re.compile(
    rf"a (?P<size>{'|'.join(words.SIZES)}) (?P<colour>{'|'.join(words.COLOURS)})"
    rf"(?: (?P<texture>{'|'.join(words.TEXTURES[1:])}))? (?P<shape>{'|'.join(words.SHAPES)})"
    rf" (?P<motion>{'|'.join(words.MOTIONS)})"
)
PLACE = re.compile(rf"in front of (?P<background>{'|'.join(words.BACKGROUNDS)})(?:, camera (?P<camera>.+))?$")
TABLES = {
    "colour": tuple(words.COLOURS),
    "shape": words.SHAPES,
    "motion": words.MOTIONS,
    "texture": words.TEXTURES,
    "size": tuple(words.SIZES),
}


def read_captions(captions: Sequence[str], seed: int = 0) -> Scenes:
    """The scenes that these captions describe; what they leave open is drawn from the seed.

    Example:
        >>> from navicache_pocket.world import write_captions
        >>> write_captions(read_captions(["a small red striped cube rising in front of a sunset, camera panning"]))
        ['a small red striped cube rising in front of a sunset, camera panning']
    """
    parts = [_read_caption(caption) for caption in captions]
    columns = {name: torch.tensor([objects[name] for objects, _, _ in parts]) for name in TABLES}
    places = [place for _, place, _ in parts]
    scenes = Scenes(
        **columns,
        has_pair=torch.tensor([pair for _, _, pair in parts]),
        background=torch.tensor([background for background, _ in places]),
        camera=torch.tensor([camera for _, camera in places]),
        object_variation=torch.empty(len(parts), 2, VARIATIONS),
        scene_variation=torch.empty(len(parts), VARIATIONS),
    )
    return redraw_details(scenes, seed)


def _read_caption(caption: str) -> tuple[dict[str, list[int]], tuple[int, int], bool]:
    """Two columns of each object's words, the background and the camera, and whether there are two objects."""
    found, place = [match.groupdict() for match in OBJECT.finditer(caption)], PLACE.search(caption)
    if not found or place is None:
        raise ValueError(f"{caption!r} is no caption of the embedded world: the reader knows no other")
    both = [found[0], found[-1]]
    objects = {name: [table.index(each[name] or "plain") for each in both] for name, table in TABLES.items()}
    camera = words.CAMERAS.index(place["camera"] or "still")
    return objects, (words.BACKGROUNDS.index(place["background"]), camera), len(found) == 2
