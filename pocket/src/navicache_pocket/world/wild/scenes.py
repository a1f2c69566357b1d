"""Wild scenes as tensors with one row per video; a caption names a hue and a mood, and nothing else.

All that is large in a picture is a choice of a few very different things: a sampler must choose early, from noise.
"""

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
LAYOUTS = ("whole", "columns", "rows", "diagonal", "quadrants", "thirds", "window", "disc")
PANEL_TEXTURES = ("gradient", "stripes", "checks", "dots", "rings", "waves")
DIRECTIONS = 8  # of motion, besides none
PANELS, MAX_OBJECTS, VARIATIONS = 4, 9, 6
HUE_SHARE = 0.5  # of the objects; the others have any colour


@dataclass(frozen=True)
class WildSettings:
    """How wild the scenes are."""

    fewest: int = 4  # objects
    most: int = MAX_OBJECTS
    large: int = 2  # objects that are about a third of the picture's width
    layout: float = 1.0  # share of the scenes with any of the layouts; the others are whole

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not 0 <= self.fewest <= self.most <= MAX_OBJECTS:
            raise ValueError(f"objects must be between 0 and {MAX_OBJECTS}, got {self.fewest} to {self.most}")


class Panel(NamedTuple):
    """One panel of each scene: tensors with one row per scene."""

    texture: torch.Tensor
    colours: torch.Tensor
    motion: torch.Tensor
    variation: torch.Tensor


class Thing(NamedTuple):
    """One object of each scene: tensors with one row per scene."""

    shape: torch.Tensor
    colour: torch.Tensor
    texture: torch.Tensor
    motion: torch.Tensor
    variation: torch.Tensor
    radius: torch.Tensor


@dataclass(frozen=True)
class WildScenes(TensorRows):
    """What is in each video: indices, and uniform numbers for the rest."""

    hue: torch.Tensor  # index into `words.COLOURS`
    mood: torch.Tensor
    layout: torch.Tensor
    split: torch.Tensor  # (scenes, 2), 0 to 2: where the layout divides the picture
    texture: torch.Tensor  # (scenes, PANELS)
    panel_colour: torch.Tensor  # (scenes, PANELS, 2), indices into `PANEL_COLOURS`
    panel_motion: torch.Tensor  # (scenes, PANELS), 0 to DIRECTIONS; the last stands still
    panel_variation: torch.Tensor  # (scenes, PANELS, VARIATIONS), uniform
    shape: torch.Tensor  # (scenes, MAX_OBJECTS), and so the next ones
    object_colour: torch.Tensor
    object_texture: torch.Tensor
    object_motion: torch.Tensor
    object_variation: torch.Tensor  # (scenes, MAX_OBJECTS, VARIATIONS), uniform
    radius: torch.Tensor  # 0 for an object that is missing

    def __len__(self) -> int:
        """Number of scenes."""
        return len(self.hue)

    def get_panel(self, which: int) -> Panel:
        """The panel of this number of all scenes."""
        columns = (self.texture, self.panel_colour, self.panel_motion, self.panel_variation)
        return Panel(*(column[:, which] for column in columns))

    def get_object(self, which: int) -> Thing:
        """The object of this number of all scenes."""
        looks = (self.shape, self.object_colour, self.object_texture)
        columns = (*looks, self.object_motion, self.object_variation, self.radius)
        return Thing(*(column[:, which] for column in columns))


def draw_wild_scenes(count: int, seed: int, settings: WildSettings | None = None) -> WildScenes:
    """Random scenes; the same seed gives the same scenes.

    Example:
        >>> scenes = draw_wild_scenes(3, seed=0)
        >>> len(scenes), tuple(scenes.texture.shape)
        (3, (3, 4))
    """
    settings = settings or WildSettings()
    generator = torch.Generator().manual_seed(seed)

    def draw(top: int, *shape: int) -> torch.Tensor:
        return torch.randint(0, top, (count, *shape), generator=generator)

    hue = draw(len(words.COLOURS))
    is_split = torch.rand(count, generator=generator) < settings.layout
    return WildScenes(
        hue=hue,
        mood=draw(len(MOODS)),
        layout=draw(len(LAYOUTS)) * is_split,
        split=draw(3, 2),
        texture=draw(len(PANEL_TEXTURES), PANELS),
        panel_colour=_draw_panel_colours(count, generator),
        panel_motion=draw(DIRECTIONS + 1, PANELS),
        panel_variation=torch.rand(count, PANELS, VARIATIONS, generator=generator),
        shape=draw(len(words.SHAPES), MAX_OBJECTS),
        object_colour=_mix_with_hue(draw(len(words.COLOURS), MAX_OBJECTS), hue, generator),
        object_texture=draw(len(words.TEXTURES), MAX_OBJECTS) * (torch.arange(MAX_OBJECTS) < settings.large),
        object_motion=draw(DIRECTIONS + 1, MAX_OBJECTS),
        object_variation=torch.rand(count, MAX_OBJECTS, VARIATIONS, generator=generator),
        radius=_draw_radii(count, settings, generator),
    )


def _mix_with_hue(colours: torch.Tensor, hue: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Some of the colours become the caption's."""
    is_hue = torch.rand(colours.shape, generator=generator) < HUE_SHARE
    return torch.where(is_hue, hue.view(-1, *[1] * (colours.ndim - 1)), colours)


def _draw_panel_colours(count: int, generator: torch.Generator) -> torch.Tensor:
    """Two different colours per panel."""
    first = torch.randint(0, len(PANEL_COLOURS), (count, PANELS), generator=generator)
    step = torch.randint(1, len(PANEL_COLOURS), (count, PANELS), generator=generator)
    return torch.stack([first, (first + step) % len(PANEL_COLOURS)], -1)


def _draw_radii(count: int, settings: WildSettings, generator: torch.Generator) -> torch.Tensor:
    """Large objects come first, so that small ones lie over them; half the picture's width is 1."""
    share = torch.rand(count, MAX_OBJECTS, generator=generator)
    place = torch.arange(MAX_OBJECTS)
    radius = torch.where(place < settings.large, 0.36 + 0.16 * share, 0.18 + 0.12 * share)
    present = torch.randint(settings.fewest, settings.most + 1, (count, 1), generator=generator)
    return torch.where(place < present, radius, 0.0)


def write_captions(scenes: WildScenes) -> list[str]:
    """One caption per scene.

    Example:
        >>> write_captions(draw_wild_scenes(1, seed=0))
        ['a cyan night']
    """
    captions = list_captions()
    return [captions[index] for index in (scenes.hue * len(MOODS) + scenes.mood).tolist()]


def list_captions() -> list[str]:
    """Every caption there is, by hue and mood.

    Example:
        >>> list_captions()[:2], len(list_captions())
        (['a red sky', 'a red night'], 16)
    """
    return [f"a {colour} {mood}" for colour, mood in product(words.COLOURS, MOODS)]
