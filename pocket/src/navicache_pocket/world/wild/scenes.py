"""Wild scenes as tensors with one row per video; a caption names a hue and a mood, and nothing else.

A picture is a board of objects, and each is one of many very different things. A sampler must choose them early, from
noise. Where it steps otherwise a few of them should fall otherwise; no model trained on these scenes has shown it yet.
"""

import math
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import torch

from navicache_pocket.world import words
from navicache_pocket.world.scenes import TensorRows

MOODS = ("sky", "night")  # light and dark, in words that wan's text encoder knows
# Panels are pale or dark, objects are strong in colour: what wan's autoencoder knows.
PANEL_COLOURS = {
    "white": (0.95, 0.96, 0.97),
    "sky": (0.60, 0.75, 0.92),
    "sand": (0.87, 0.80, 0.69),
    "sage": (0.50, 0.62, 0.44),
    "dusk": (0.47, 0.38, 0.53),
    "earth": (0.36, 0.30, 0.38),
    "ink": (0.05, 0.05, 0.11),
}
PALE = 4  # the first so many panel colours are pale, the others are dark
PATTERNS = ("halves", "stripe", "checks", "corner")
TURNS = 8  # angles of a pattern
DIRECTIONS = 8  # of motion, besides none
MAX_SIDE, VARIATIONS = 8, 6  # tiles or objects along one side
HUE_SHARE = 0.3  # of the objects; the others have any colour


@dataclass(frozen=True)
class WildSettings:
    """How wild the scenes are."""

    board: int = 4  # objects along each side of the picture
    presence: float = 0.9  # share of the places on the board that have an object
    travel: float = 0.2  # of an object and of a tile's pattern in a video; half a place or a tile is 1
    tiles: int = 1  # along each side of the quilt behind
    turns: int = TURNS  # angles of a tile's pattern in use
    patterns: int = 1  # of tiles: halves, stripe, checks, corner
    textures: int = 1  # of objects: plain, striped, dotted
    truth: float = 0.7  # share of the captions that are true; the others are drawn anew

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not (0 <= self.board <= MAX_SIDE and 1 <= self.tiles <= MAX_SIDE):
            raise ValueError(f"board and tiles must be at most {MAX_SIDE}, got {self.board} and {self.tiles}")
        if not (0 <= self.truth <= 1 and 0 <= self.presence <= 1):
            raise ValueError(f"truth and presence are shares, got {self.truth} and {self.presence}")


class Thing(NamedTuple):
    """One object of each scene: tensors with one row per scene."""

    shape: torch.Tensor
    colour: torch.Tensor
    texture: torch.Tensor
    motion: torch.Tensor
    variation: torch.Tensor
    radius: torch.Tensor
    place: torch.Tensor  # (scenes, 2): x and y, where half the picture's width is 1
    travel: torch.Tensor


@dataclass(frozen=True)
class WildScenes(TensorRows):
    """What is in each video: indices, and uniform numbers for the rest."""

    hue: torch.Tensor  # index into `words.COLOURS`
    mood: torch.Tensor
    caption: torch.Tensor  # index into `list_captions()`; not always that of hue and mood
    pattern: torch.Tensor  # (scenes, tiles), row by row, and so the next ones
    turn: torch.Tensor
    panel_colour: torch.Tensor  # (scenes, tiles, 2), indices into `PANEL_COLOURS`
    panel_motion: torch.Tensor  # 0 to DIRECTIONS; the last stands still
    travel: torch.Tensor  # (scenes,)
    shape: torch.Tensor  # (scenes, objects), row by row, and so the next ones
    object_colour: torch.Tensor
    object_texture: torch.Tensor
    object_motion: torch.Tensor
    object_variation: torch.Tensor  # (scenes, objects, VARIATIONS), uniform
    radius: torch.Tensor  # 0 for an object that is missing

    def __len__(self) -> int:
        """Number of scenes."""
        return len(self.hue)

    def get_object(self, which: int) -> Thing:
        """The object of this number of all scenes."""
        side = math.isqrt(self.radius.shape[1])
        place = torch.tensor([(which % side + 0.5) * 2 / side - 1, (which // side + 0.5) * 2 / side - 1])
        rows = place.to(self.radius.device).expand(len(self), 2)
        return Thing(
            self.shape[:, which],
            self.object_colour[:, which],
            self.object_texture[:, which],
            self.object_motion[:, which],
            self.object_variation[:, which],
            self.radius[:, which],
            rows,
            self.travel / side,
        )


def draw_wild_scenes(count: int, seed: int, settings: WildSettings | None = None) -> WildScenes:
    """Random scenes; the same seed gives the same scenes.

    Example:
        >>> scenes = draw_wild_scenes(3, seed=0)
        >>> len(scenes), tuple(scenes.pattern.shape)
        (3, (3, 1))
    """
    settings = settings or WildSettings()
    generator = torch.Generator().manual_seed(seed)

    def draw(top: int, *shape: int) -> torch.Tensor:
        return torch.randint(0, top, (count, *shape), generator=generator)

    hue, mood = draw(len(words.COLOURS)), draw(len(MOODS))
    is_true = torch.rand(count, generator=generator) < settings.truth
    tiles, objects = settings.tiles**2, settings.board**2
    return WildScenes(
        hue=hue,
        mood=mood,
        caption=torch.where(is_true, hue * len(MOODS) + mood, draw(len(words.COLOURS) * len(MOODS))),
        pattern=draw(settings.patterns, tiles),
        turn=draw(settings.turns, tiles),
        panel_colour=_draw_panel_colours(count, tiles, generator),
        panel_motion=draw(DIRECTIONS + 1, tiles),
        travel=torch.full((count,), settings.travel),
        shape=draw(len(words.SHAPES), objects),
        object_colour=_mix_with_hue(draw(len(words.COLOURS), objects), hue, generator),
        object_texture=draw(settings.textures, objects),
        object_motion=draw(DIRECTIONS + 1, objects),
        object_variation=torch.rand(count, objects, VARIATIONS, generator=generator),
        radius=_draw_radii(count, settings, generator),
    )


def _mix_with_hue(colours: torch.Tensor, hue: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Some of the colours become the caption's."""
    is_hue = torch.rand(colours.shape, generator=generator) < HUE_SHARE
    return torch.where(is_hue, hue.view(-1, *[1] * (colours.ndim - 1)), colours)


def _draw_panel_colours(count: int, tiles: int, generator: torch.Generator) -> torch.Tensor:
    """A pale and a dark colour per tile, far apart, in any order."""
    pale = torch.randint(0, PALE, (count, tiles), generator=generator)
    dark = torch.randint(PALE, len(PANEL_COLOURS), (count, tiles), generator=generator)
    is_pale_first = torch.rand(count, tiles, 1, generator=generator) < 0.5
    return torch.where(is_pale_first, torch.stack([pale, dark], -1), torch.stack([dark, pale], -1))


def _draw_radii(count: int, settings: WildSettings, generator: torch.Generator) -> torch.Tensor:
    """Objects fill their places; half the picture's width is 1."""
    shape = (count, settings.board**2)
    radius = (0.85 + 0.15 * torch.rand(shape, generator=generator)) / max(settings.board, 1)
    return torch.where(torch.rand(shape, generator=generator) < settings.presence, radius, 0.0)


def write_captions(scenes: WildScenes) -> list[str]:
    """One caption per scene.

    Example:
        >>> write_captions(draw_wild_scenes(1, seed=0))
        ['a cyan night']
    """
    captions = list_captions()
    return [captions[index] for index in scenes.caption.tolist()]


def list_captions() -> list[str]:
    """Every caption there is, by hue and mood.

    Example:
        >>> list_captions()[:2], len(list_captions())
        (['a red sky', 'a red night'], 16)
    """
    return [f"a {colour} {mood}" for colour, mood in product(words.COLOURS, MOODS)]
