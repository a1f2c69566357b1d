"""Scenes as whole tensors, drawn from a seed: one row a video, so that drawing costs no loop."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self

import torch

from navicache_pocket.world import words

Split = Literal["seen", "unseen"]
PAIR_SHARE = 0.45  # scenes with two objects
CAMERA_SHARES = (0.5, 0.25, 0.25)
FREEDOMS = 8  # random numbers an object, and a scene, may use for what its caption leaves open


@dataclass(frozen=True)
class Scenes:
    """What is in each video: indices into the tables of `words`, and what the captions leave open.

    Objects have two columns; the second counts only where `pair` is true. The first object is always the left one.
    """

    colour: torch.Tensor
    shape: torch.Tensor
    motion: torch.Tensor
    texture: torch.Tensor
    size: torch.Tensor
    pair: torch.Tensor
    background: torch.Tensor
    camera: torch.Tensor
    object_freedom: torch.Tensor  # (scenes, 2, FREEDOMS), uniform
    scene_freedom: torch.Tensor  # (scenes, FREEDOMS), uniform

    def __len__(self) -> int:
        """Number of scenes."""
        return len(self.pair)

    def __getitem__(self, rows: slice | torch.Tensor) -> Self:
        """The scenes of these rows."""
        return self._each(lambda tensor: tensor[rows])

    def to(self, device: str | torch.device) -> Self:
        """The same scenes on another device."""
        return self._each(lambda tensor: tensor.to(device))

    def _each(self, change: Any) -> Self:
        return replace(self, **{field.name: change(getattr(self, field.name)) for field in fields(self)})


def retake(scenes: Scenes, seed: int) -> Scenes:
    """The same captions with other videos: whatever they leave open is drawn anew."""
    generator = torch.Generator().manual_seed(seed)
    return replace(
        scenes,
        object_freedom=torch.rand(scenes.object_freedom.shape, generator=generator),
        scene_freedom=torch.rand(scenes.scene_freedom.shape, generator=generator),
    )


def join(parts: Sequence[Scenes]) -> Scenes:
    """All scenes of these, in order."""
    names = [field.name for field in fields(Scenes)]
    return Scenes(**{name: torch.cat([getattr(part, name) for part in parts]) for name in names})


def draw(count: int, seed: int, split: Split = "seen") -> Scenes:
    """Random scenes; in `unseen` ones the first object is of a kind that training never shows.

    Example:
        >>> scenes = draw(4, seed=0)
        >>> len(scenes), tuple(scenes.colour.shape)
        (4, (4, 2))
    """
    generator = torch.Generator().manual_seed(seed)

    def index(top: int, *shape: int) -> torch.Tensor:
        return torch.randint(0, top, shape, generator=generator)

    seen = torch.tensor(words.looks(unseen=False))
    first = torch.tensor(words.looks(unseen=split == "unseen"))
    look = torch.stack([first[index(len(first), count)], seen[index(len(seen), count)]], 1)
    shares = torch.tensor(CAMERA_SHARES)
    return Scenes(
        colour=look[..., 0],
        shape=look[..., 1],
        motion=look[..., 2],
        texture=index(len(words.TEXTURES), count, 2),
        size=index(len(words.SIZES), count, 2),
        pair=torch.rand(count, generator=generator) < PAIR_SHARE,
        background=index(len(words.BACKGROUNDS), count),
        camera=torch.multinomial(shares, count, replacement=True, generator=generator),
        object_freedom=torch.rand(count, 2, FREEDOMS, generator=generator),
        scene_freedom=torch.rand(count, FREEDOMS, generator=generator),
    )
