"""How often the reader is right on videos whose scenes are known: the rendered ones."""

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
    """Per condition and reading the verdicts on these scenes, rendered where they lie.

    Example:
        >>> from navicache_pocket.reader import learn_backgrounds
        >>> from navicache_pocket.world import draw
        >>> found = validate(draw(4, seed=1), learn_backgrounds(scenes=60), ["clean"], frames=5, size=64)
        >>> found["clean"]["colour"].share
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
    """One verdict over all videos."""
    return ReadingVerdict(*(torch.cat(column) for column in zip(*verdicts, strict=True)))
