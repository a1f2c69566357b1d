"""How often the reader is right on videos whose scenes are known: the rendered ones."""

from collections.abc import Callable, Iterable, Mapping

import torch

from navicache_pocket.reader.backgrounds import Backgrounds
from navicache_pocket.reader.degrade import DEGRADATIONS
from navicache_pocket.reader.reading import Verdict, judge, read
from navicache_pocket.world import Scenes, render
from navicache_pocket.world.render import FRAMES, SIZE

Degrade = Callable[[torch.Tensor], torch.Tensor]
AT_ONCE = 8
CONDITIONS: Mapping[str, Degrade] = {"clean": lambda video: video, **DEGRADATIONS}


def validate(
    scenes: Scenes,
    backgrounds: Backgrounds,
    conditions: Iterable[str] = CONDITIONS,
    frames: int = FRAMES,
    size: int = SIZE,
) -> dict[str, dict[str, Verdict]]:
    """Per condition and reading the verdicts on these scenes, rendered where they lie.

    Example:
        >>> from navicache_pocket.reader import learn_backgrounds
        >>> from navicache_pocket.world import draw
        >>> found = validate(draw(4, seed=1), learn_backgrounds(scenes=60), ["clean"], frames=5, size=64)
        >>> found["clean"]["colour"].share
        1.0
    """
    parts: dict[str, list[dict[str, Verdict]]] = {name: [] for name in conditions}
    for row in range(0, len(scenes), AT_ONCE):
        some = scenes[row : row + AT_ONCE]
        video = render(some, frames, size)
        for name, verdicts in parts.items():
            verdicts.append(judge(read(CONDITIONS[name](video), some.pair, backgrounds), some))
    return {
        name: {key: join(part[key] for part in verdicts) for key in verdicts[0]} for name, verdicts in parts.items()
    }


def join(verdicts: Iterable[Verdict]) -> Verdict:
    """One verdict over all videos."""
    return Verdict(*(torch.cat(column) for column in zip(*verdicts, strict=True)))
