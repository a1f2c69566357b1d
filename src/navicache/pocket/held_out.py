"""Captions that training never had, for measurements: one set to measure with, one to tune with."""

from navicache.pocket.train.denoiser import Settings
from navicache.pocket.world import captions, draw

SEEDS = {"held-out": 940_001, "tune": 950_001}
POOL = 4096  # captions drawn for either set


def choose_prompts(which: str, count: int, trained_videos: int = Settings.videos) -> list[str]:
    """The first captions of a set that training never had; no caption of one set is in the other."""
    taboo = set(captions(draw(trained_videos, Settings.seed)))
    for name, seed in SEEDS.items():
        pool = dict.fromkeys(captions(draw(POOL, seed)))
        if name == which:
            found = [caption for caption in pool if caption not in taboo][:count]
            if len(found) < count:
                raise ValueError(f"only {len(found)} {which} prompts to be had, asked for {count}")
            return found
        taboo |= set(pool)
    raise ValueError(f"unknown set {which!r}: choose from {', '.join(SEEDS)}")
