"""Scenes as tensors with one row per video, drawn from a seed without a loop."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self

import torch

from navicache_pocket.world import words

SceneSplit = Literal["seen", "unseen"]
PAIR_SHARE = 0.45  # scenes with two objects
CAMERA_SHARES = (0.5, 0.25, 0.25)
VARIATIONS = 8  # random numbers per object, and per scene, for what its caption leaves open


class TensorRows:
    """A frozen dataclass of tensors with one row per scene."""

    def __getitem__(self, rows: slice | torch.Tensor) -> Self:
        """The scenes of these rows."""
        return self._map_tensors(lambda tensor: tensor[rows])

    def to(self, device: str | torch.device) -> Self:
        """The same scenes on another device."""
        return self._map_tensors(lambda tensor: tensor.to(device))

    def _map_tensors(self, change: Any) -> Self:
        own: Any = self
        return replace(own, **{field.name: change(getattr(self, field.name)) for field in fields(own)})


@dataclass(frozen=True)
class Scenes(TensorRows):
    """What is in each video: indices into the tables of `words`, and what the captions leave open.

    Objects have two columns; the second counts only if `has_pair` is true. The first object is always the left one.
    """

    colour: torch.Tensor
    shape: torch.Tensor
    motion: torch.Tensor
    texture: torch.Tensor
    size: torch.Tensor
    has_pair: torch.Tensor
    background: torch.Tensor
    camera: torch.Tensor
    object_variation: torch.Tensor  # (scenes, 2, VARIATIONS), uniform
    scene_variation: torch.Tensor  # (scenes, VARIATIONS), uniform

    def __len__(self) -> int:
        """Number of scenes."""
        return len(self.has_pair)


def redraw_details(scenes: Scenes, seed: int) -> Scenes:
    """The same captions with other videos: what they leave open is drawn again."""
    generator = torch.Generator().manual_seed(seed)
    return replace(
        scenes,
        object_variation=torch.rand(scenes.object_variation.shape, generator=generator),
        scene_variation=torch.rand(scenes.scene_variation.shape, generator=generator),
    )


def concatenate_scenes(parts: Sequence[Scenes]) -> Scenes:
    """Concatenate these scenes in order."""
    names = [field.name for field in fields(Scenes)]
    return Scenes(**{name: torch.cat([getattr(part, name) for part in parts]) for name in names})


def draw_scenes(count: int, seed: int, split: SceneSplit = "seen") -> Scenes:
    """Random scenes; in `unseen` ones the first object is of a kind that training never shows.

    Example:
        >>> scenes = draw_scenes(4, seed=0)
        >>> len(scenes), tuple(scenes.colour.shape)
        (4, (4, 2))
    """
    generator = torch.Generator().manual_seed(seed)

    def draw_indices(top: int, *shape: int) -> torch.Tensor:
        return torch.randint(0, top, shape, generator=generator)

    seen = torch.tensor(words.list_object_looks(unseen=False))
    first = torch.tensor(words.list_object_looks(unseen=split == "unseen"))
    looks = torch.stack([first[draw_indices(len(first), count)], seen[draw_indices(len(seen), count)]], 1)
    shares = torch.tensor(CAMERA_SHARES)
    return Scenes(
        colour=looks[..., 0],
        shape=looks[..., 1],
        motion=looks[..., 2],
        texture=draw_indices(len(words.TEXTURES), count, 2),
        size=draw_indices(len(words.SIZES), count, 2),
        has_pair=torch.rand(count, generator=generator) < PAIR_SHARE,
        background=draw_indices(len(words.BACKGROUNDS), count),
        camera=torch.multinomial(shares, count, replacement=True, generator=generator),
        object_variation=torch.rand(count, 2, VARIATIONS, generator=generator),
        scene_variation=torch.rand(count, VARIATIONS, generator=generator),
    )
