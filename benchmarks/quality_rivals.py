"""The rivals of the quality benchmark through diffusers' own hooks, and denoising by the clock, one prompt at a time.

TaylorSeer's default patterns match no module of a Wan transformer (they ask for names that end in "attn", Wan's end in
"attn1" and "attn2"), and enabling it so caches nothing and says nothing: the patterns are given here. Its factors are
bfloat16 unless told otherwise, also in a float32 model.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import torch
from diffusers import SeaCacheConfig, TaylorSeerCacheConfig
from quality_curves import CURVES, Curve
from quality_runs import Bench
from torch import Tensor
from tqdm import tqdm

import navicache

FRESH = 240.0  # seconds
ATTENTION_AND_FEED_FORWARD = [r"blocks\.\d+\.attn1", r"blocks\.\d+\.attn2", r"blocks\.\d+\.ffn"]


@dataclass(frozen=True)
class Rival:
    """A technique of diffusers of which one setting varies along the curve."""

    group: str
    knobs: Mapping[str, Any] = field(default_factory=dict)
    first: float = 0.1
    settings: tuple[float, ...] = ()  # a fixed list; without one, thresholds are searched for
    varies: str = "threshold"

    def config(self, setting: float, steps: int, dtype: torch.dtype) -> Any:
        """What `enable_cache` takes at one point of the curve; the last step is computed, as by our policies."""
        if self.group == "seacache":
            return SeaCacheConfig(cache_end_steps=1, **{self.varies: setting, **self.knobs})
        knobs = {**self.knobs, self.varies: int(setting)}
        return TaylorSeerCacheConfig(disable_cache_after_step=steps - 1, taylor_factors_dtype=dtype, **knobs)


def _sea(longest: int, retention: int) -> Rival:
    return Rival("seacache", {"max_consecutive_cached": longest, "retention_steps": retention, "residual_order": 1})


def _taylor(order: int, lite: bool, varies: str, *settings: int) -> Rival:
    where = {"use_lite_mode": True} if lite else {"cache_identifiers": ATTENTION_AND_FEED_FORWARD}
    other = {"cache_interval": {"disable_cache_before_step": 5}, "disable_cache_before_step": {"cache_interval": 2}}
    return Rival("taylorseer", {"max_order": order, **other[varies], **where}, settings=settings, varies=varies)


RIVALS: dict[str, Rival] = {
    **{f"seacache-{most or 'any'}-{first}": _sea(most, first) for most in (1, 2, 3, 0) for first in (1, 5)},
    "taylorseer-1": _taylor(1, False, "cache_interval", 2, 3, 4, 5, 6, 8),
    "taylorseer-2": _taylor(2, False, "cache_interval", 2, 3, 4, 5, 6, 8),
    "taylorseer-1-late": _taylor(1, False, "disable_cache_before_step", 5, 12, 18, 24),
    "taylorseer-1-lite": _taylor(1, True, "cache_interval", 2, 3, 4, 5, 6, 8),
    "taylorseer-2-lite": _taylor(2, True, "cache_interval", 2, 3, 4, 5, 6, 8),
    "taylorseer-1-lite-late": _taylor(1, True, "disable_cache_before_step", 5, 12, 18, 24),
}


@contextmanager
def cached(bench: Bench, curve: str, setting: float, steps: int) -> Iterator[None]:
    """Any curve's cache on the pipeline, ours or a rival's, and off again."""
    if curve in CURVES:
        with navicache.enable(bench.pipe, CURVES[curve].policy(setting)):
            yield
        return
    model = bench.pipe.transformer
    model.enable_cache(RIVALS[curve].config(setting, steps, model.dtype))
    try:
        yield
    finally:
        model.disable_cache()


@dataclass
class Stopwatch:
    """Denoises prompts one by one; knows seconds and computed steps of each.

    With rounds each step counts with its fastest: what else goes on in a machine only ever slows it down.
    """

    bench: Bench
    steps: int
    rounds: int = 1
    _calls: int = 0

    def run(self, rows: Sequence[int], title: str) -> tuple[Tensor, list[float], list[float]]:
        """Latents, seconds and computed steps of each prompt."""
        latents, seconds, computed = [], [], []
        for row in tqdm(rows, desc=title, unit="prompt", leave=False, disable=None):
            with self.counting():
                laps, latent = zip(*[self.laps(row, self.rounds > 1) for _ in range(self.rounds)], strict=True)
            latents.append(latent[0])
            seconds.append(sum(map(min, zip(*laps, strict=True))))
            computed.append(self.computed / self.rounds)
        return torch.cat(latents), seconds, computed

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count computed steps from nothing; a step is computed where the middle block's attention is."""
        blocks, self._calls = self.bench.pipe.transformer.blocks, 0
        hook = blocks[len(blocks) // 2].attn1.to_q.register_forward_hook(self._count)
        try:
            yield
        finally:
            hook.remove()

    @property
    def computed(self) -> float:
        """Steps computed while it was counted."""
        return self._calls / (2 if self.bench.options.guidance > 1 else 1)

    def _count(self, *_: Any) -> None:
        self._calls += 1

    def laps(self, row: int, by_step: bool = True) -> tuple[list[float], Tensor]:
        """What each step of one run took, or all of it, and its latents; the first step counts what comes before it.

        By step an accelerator is waited for at every one, which those policies feel most that never wait themselves.
        """
        drain = torch.cuda.synchronize if self.bench.options.device.startswith("cuda") else lambda: None
        drain()
        ends = [time.perf_counter()]

        def stamp() -> None:
            drain()
            ends.append(time.perf_counter())

        latents = self.bench.latents([row], self.steps, stamp if by_step else None)
        stamp()
        return [later - earlier for earlier, later in pairwise(ends)], latents


@dataclass
class Yardstick:
    """What a run that computes every step takes: measured anew where that was a while ago, for speeds drift."""

    watch: Stopwatch
    _seconds: float = 0.0
    _when: float = -math.inf

    def seconds(self) -> float:
        """Of the first prompt."""
        if time.monotonic() - self._when > FRESH:
            self._seconds = self.watch.run([0], "every step")[1][0]
            self._when = time.monotonic()
        return self._seconds


def find(curve: str) -> Curve | Rival:
    """A curve by name, ours or a rival's."""
    return CURVES[curve] if curve in CURVES else RIVALS[curve]
