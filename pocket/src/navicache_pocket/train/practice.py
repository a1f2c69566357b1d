"""What the transformer is shown: every caption, and the hard ones more than once."""

import torch

from navicache_pocket.world import Scenes, draw, join, retake, words

TURNING = ("bouncing", "circling", "spinning")


def practice(count: int, seed: int, take: int = 0) -> Scenes:
    """Scenes of `count` captions, shuffled: what turns or turns back has two videos, a night sky three, both four.

    The captions depend on the seed alone, so what was held out of one take is held out of all. Another take has other
    videos: a training that goes on should not see the first ones again.
    """
    base = draw(count, seed)
    night = base.background == words.BACKGROUNDS.index("a night sky")
    turning = torch.isin(base.motion, torch.tensor([words.MOTIONS.index(name) for name in TURNING]))
    turning[:, 1] &= base.pair
    turning = turning.any(1)
    first = retake(base, _seed(seed, take, 0)) if take else base
    hard = (night | turning, night, night & turning)
    again = [retake(base[rows], _seed(seed, take, which)) for which, rows in enumerate(hard, 1)]
    scenes = join([first, *again])
    return scenes[torch.randperm(len(scenes), generator=torch.Generator().manual_seed(_seed(seed, take, 9)))]


def _seed(seed: int, take: int, which: int) -> int:
    return 1_000_000 * (seed + 1) + 10 * take + which
