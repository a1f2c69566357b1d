"""Accuracy of the reader on rendered videos, whose scenes are known."""

from collections.abc import Callable, Iterable, Mapping

import torch

from navicache_pocket.reader.backgrounds import BackgroundClassifier
from navicache_pocket.reader.degradations import DEGRADATIONS
from navicache_pocket.reader.reading import ReadingVerdict, judge_reading, read_videos
from navicache_pocket.world import Scenes, render_videos
from navicache_pocket.world.render import FRAMES, SIZE

Degradation = Callable[[torch.Tensor], torch.Tensor]
BATCH_SIZE = 8
CONDITIONS: Mapping[str, Degradation] = {"clean": lambda video: video, **DEGRADATIONS}


def validate_reader(
    scenes: Scenes,
    classifier: BackgroundClassifier,
    conditions: Iterable[str] = CONDITIONS,
    frames: int = FRAMES,
    size: int = SIZE,
) -> dict[str, dict[str, ReadingVerdict]]:
    """Verdicts by condition and attribute on these scenes, which are rendered on their own device.

    Example:
        >>> from navicache_pocket.reader import fit_background_classifier
        >>> from navicache_pocket.world import draw_scenes
        >>> classifier = fit_background_classifier(scenes=60)
        >>> verdicts = validate_reader(draw_scenes(4, seed=1), classifier, ["clean"], frames=5, size=64)
        >>> verdicts["clean"]["colour"].accuracy
        1.0
    """
    parts: dict[str, list[dict[str, ReadingVerdict]]] = {name: [] for name in conditions}
    for row in range(0, len(scenes), BATCH_SIZE):
        batch = scenes[row : row + BATCH_SIZE]
        video = render_videos(batch, frames, size)
        for name, verdicts in parts.items():
            verdicts.append(judge_reading(read_videos(CONDITIONS[name](video), batch.has_pair, classifier), batch))
    return {
        name: {key: combine_verdicts(part[key] for part in verdicts) for key in verdicts[0]}
        for name, verdicts in parts.items()
    }


def combine_verdicts(verdicts: Iterable[ReadingVerdict]) -> ReadingVerdict:
    """Concatenate verdicts of several batches."""
    return ReadingVerdict(*(torch.cat(column) for column in zip(*verdicts, strict=True)))
