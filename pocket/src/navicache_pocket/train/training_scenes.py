"""Training scenes of the transformer: every caption, and the hard ones more than once."""

import torch

from navicache_pocket.world import Scenes, concatenate_scenes, draw_scenes, redraw_details, words

TURNING_MOTIONS = ("bouncing", "circling", "spinning")


def draw_training_scenes(count: int, seed: int, take: int = 0) -> Scenes:
    """Scenes of `count` captions, shuffled: what turns or turns back has two videos, a night sky three, both four.

    The captions depend on the seed alone, so what was held out of one take is held out of all. Another take has other
    videos, for a training that continues.
    """
    base = draw_scenes(count, seed)
    night = base.background == words.BACKGROUNDS.index("a night sky")
    turning = torch.isin(base.motion, torch.tensor([words.MOTIONS.index(name) for name in TURNING_MOTIONS]))
    turning[:, 1] &= base.has_pair
    turning = turning.any(1)
    first = redraw_details(base, _derive_seed(seed, take, 0)) if take else base
    hard = (night | turning, night, night & turning)
    again = [redraw_details(base[rows], _derive_seed(seed, take, which)) for which, rows in enumerate(hard, 1)]
    scenes = concatenate_scenes([first, *again])
    return scenes[torch.randperm(len(scenes), generator=torch.Generator().manual_seed(_derive_seed(seed, take, 9)))]


def _derive_seed(seed: int, take: int, which: int) -> int:
    return 1_000_000 * (seed + 1) + 10 * take + which
