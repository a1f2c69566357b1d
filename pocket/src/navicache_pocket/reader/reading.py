"""What a video shows, and whether that matches its scene."""

from dataclasses import dataclass
from typing import NamedTuple

import torch

from navicache_pocket.reader.backgrounds import BackgroundClassifier, extract_background_features
from navicache_pocket.reader.objects import UNKNOWN, find_direction, find_first_object, find_vivid_pixels
from navicache_pocket.reader.outlines import match_outlines
from navicache_pocket.world import Scenes, words

BATCH_SIZE = 8  # videos; more would not be faster


@dataclass(frozen=True)
class VideoReading:
    """Per video an index into `words.BACKGROUNDS`, `COLOURS`, `DIRECTIONS` and `SHAPES`, -1 if there is none.

    `shape_overlap` is how well the outline of each shape covers the first object: (videos, shapes), 0 to 1.
    """

    background: torch.Tensor
    colour: torch.Tensor
    direction: torch.Tensor
    shape: torch.Tensor
    shape_overlap: torch.Tensor


class ReadingVerdict(NamedTuple):
    """Per video: whether a reading is right, and whether the caption asks for it."""

    is_right: torch.Tensor
    is_asked: torch.Tensor

    @property
    def accuracy(self) -> float:
        """Share of right readings among those that the caption asks for."""
        return (self.is_right & self.is_asked).sum().item() / max(1, self.is_asked.sum().item())


def read_videos(video: torch.Tensor, has_pair: bool | torch.Tensor, classifier: BackgroundClassifier) -> VideoReading:
    """Read videos (videos, 3, frames, height, width) with values in [-1, 1]; `has_pair` says which show two objects.

    Example:
        >>> from navicache_pocket.reader import fit_background_classifier
        >>> from navicache_pocket.world import draw_scenes, render_videos
        >>> scenes = draw_scenes(2, seed=6)
        >>> videos, classifier = render_videos(scenes, frames=5, size=64), fit_background_classifier(scenes=60)
        >>> read_videos(videos, scenes.has_pair, classifier).colour.tolist() == scenes.colour[:, 0].tolist()
        True
    """
    pairs = torch.as_tensor(has_pair, device=video.device).expand(len(video))
    parts = [
        _read_batch(*part, classifier) for part in zip(video.split(BATCH_SIZE), pairs.split(BATCH_SIZE), strict=True)
    ]
    return VideoReading(*(torch.cat(column).cpu() for column in zip(*parts, strict=True)))


def _read_batch(
    video: torch.Tensor, has_pair: torch.Tensor, classifier: BackgroundClassifier
) -> tuple[torch.Tensor, ...]:
    video = video.float()
    is_vivid, hue = find_vivid_pixels(video)
    colour, mask = find_first_object(is_vivid, hue, has_pair)
    return (
        classifier.classify(extract_background_features(video, is_vivid)),
        colour,
        find_direction(mask),
        *match_outlines(mask, has_pair),
    )


def judge_reading(reading: VideoReading, scenes: Scenes) -> dict[str, ReadingVerdict]:
    """Compare with the scenes; a direction counts only if there is one, a shape only if a frame shows all of it."""
    always = torch.ones(len(scenes), dtype=torch.bool)
    motion = scenes.motion[:, 0].cpu()
    return {
        "background": ReadingVerdict(reading.background == scenes.background.cpu(), always),
        "colour": ReadingVerdict(reading.colour == scenes.colour[:, 0].cpu(), always),
        "direction": ReadingVerdict(reading.direction == motion, motion < len(words.DIRECTIONS)),
        "shape": ReadingVerdict(reading.shape == scenes.shape[:, 0].cpu(), reading.shape != UNKNOWN),
    }
