"""How the held-out captions were drawn that `navicache.pocket.held_out` reads from files.

`python -m navicache_pocket.train.held_out` writes these files; tests/pocket/test_held_out.py compares them.
"""

from functools import cache

import torch

from navicache.pocket.held_out import CAPTIONS, SETS, choose_prompts
from navicache_pocket.train.denoiser import DenoiserSettings
from navicache_pocket.world import Scenes, draw_scenes, write_captions

SEEDS = {"held-out": 940_001, "tune": 950_001}
POOL = 4096  # scenes drawn for each set


@cache
def draw_held_out_captions() -> dict[str, list[str]]:
    """All captions of each set: none was shown in training, none is in two sets."""
    taken = set(write_captions(draw_scenes(DenoiserSettings.videos, DenoiserSettings.seed)))
    found: dict[str, list[str]] = {}
    for name in SETS:
        pool = dict.fromkeys(write_captions(draw_scenes(POOL, SEEDS[name])))
        found[name] = [caption for caption in pool if caption not in taken]
        taken |= set(pool)
    return found


def draw_held_out_scenes(count: int) -> Scenes:
    """Scenes of the first held-out captions."""
    pool = draw_scenes(POOL, SEEDS["held-out"])
    texts = write_captions(pool)
    return pool[torch.tensor([texts.index(prompt) for prompt in choose_prompts("held-out", count)])]


def main() -> None:
    """Write one file per set, one caption per line."""
    for name, prompts in draw_held_out_captions().items():
        path = CAPTIONS / f"{name}.txt"
        path.write_text("".join(f"{prompt}\n" for prompt in prompts), encoding="utf-8")
        print(f"{len(prompts)} captions in {path}")


if __name__ == "__main__":
    main()
