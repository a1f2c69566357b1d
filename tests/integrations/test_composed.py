"""Two caches at once: ours decides about the whole call, another library's saves blocks in the calls that are made."""

import torch
from diffusers import FirstBlockCacheConfig
from tests.tiny.wan import WAN

import navicache

STEPS = 20


class Counter:
    def __init__(self, module):
        self.calls = 0
        module.register_forward_hook(self)

    def __call__(self, *_):
        self.calls += 1


def inner_blocks(pipe, ours, theirs):
    """Calls of the last block's attention in one run."""
    counter = Counter(pipe.transformer.blocks[-1].attn1)
    if theirs:
        pipe.transformer.enable_cache(FirstBlockCacheConfig(threshold=0.1))
    if ours:
        with navicache.enable(pipe, "inertial", speedup=2.0) as cache:
            latents = WAN.call(pipe, steps=STEPS)
        assert len(cache.trace.runs[-1].computed_steps()) == STEPS // 2
    else:
        latents = WAN.call(pipe, steps=STEPS)
    if theirs:
        pipe.transformer.disable_cache()
    return counter.calls, latents


def test_inertial_around_first_block_cache():
    calls, latents = {}, {}
    for ours in (False, True):
        for theirs in (False, True):
            calls[ours, theirs], latents[ours, theirs] = inner_blocks(WAN.build(layers=3), ours, theirs)
    assert calls[False, False] == 2 * STEPS
    assert calls[True, False] == STEPS  # half of the steps, both branches
    assert calls[True, True] < min(calls[True, False], calls[False, True])
    for found in latents.values():
        assert torch.isfinite(found).all()


def test_either_may_come_off_first():
    pipe = WAN.build(layers=3)
    full = WAN.call(pipe, steps=STEPS)
    pipe.transformer.enable_cache(FirstBlockCacheConfig(threshold=0.1))
    cache = navicache.enable(pipe, "inertial", speedup=2.0)
    WAN.call(pipe, steps=STEPS)
    pipe.transformer.disable_cache()
    WAN.call(pipe, steps=STEPS)
    cache.disable()
    assert torch.equal(WAN.call(pipe, steps=STEPS), full)
