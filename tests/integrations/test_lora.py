"""LoRA through peft: loaded before or under the cache, taken out again under it, at every site."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.tiny.wan import WAN
from torch import Tensor

import navicache

pytest.importorskip("peft", reason="LoRA needs peft: pip install peft")

STEPS = 12
POLICIES: dict[str, dict[str, Any]] = {
    "navicache": {"threshold": 0.4, "align_steps": 3},
    "inertial": {"speedup": 2.0, "site": "blocks"},
    "pab": {"self_attention": 2, "self_window": (0, 1000)},
}
each_policy = pytest.mark.parametrize(("policy", "knobs"), POLICIES.items(), ids=POLICIES)


def weights(rank: int = 2, width: int = 24, seed: int = 5) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shapes = {"lora_A": (rank, width), "lora_B": (width, rank)}
    names = [f"transformer.blocks.{block}.attn1.{layer}" for block in (0, 1) for layer in ("to_q", "to_v")]
    return {
        f"{name}.{half}.weight": torch.randn(shape, generator=generator)
        for name in names
        for half, shape in shapes.items()
    }


def run(pipe: Any) -> Tensor:
    return WAN.call(pipe, steps=STEPS)


@pytest.fixture(scope="module")
def full() -> tuple[Tensor, Tensor]:
    """What the pipeline gives without a cache: bare, and with the LoRA."""
    pipe = WAN.build()
    bare = run(pipe)
    pipe.load_lora_weights(weights(), adapter_name="style")
    styled = run(pipe)
    assert not torch.equal(bare, styled)
    return bare, styled


def cached(policy: str, knobs: dict[str, Any], lora: bool) -> Tensor:
    """What a pipeline that had, or never had, a LoRA gives under a new cache."""
    pipe = WAN.build()
    if lora:
        pipe.load_lora_weights(weights(), adapter_name="style")
    with navicache.enable(pipe, policy, **knobs):
        return run(pipe)


@each_policy
def test_load_and_unload_while_the_cache_is_on(full, policy, knobs):
    pipe = WAN.build()
    with navicache.enable(pipe, policy, **knobs) as cache:
        before = run(pipe)
        pipe.load_lora_weights(weights(), adapter_name="style")
        styled = run(pipe)
        pipe.unload_lora_weights()
        after = run(pipe)
    assert torch.equal(before, cached(policy, knobs, lora=False))
    assert torch.equal(styled, cached(policy, knobs, lora=True))
    assert torch.equal(after, before)
    assert len(cache.trace.runs) == 3
    assert torch.equal(run(pipe), full[0])


@each_policy
def test_loaded_before_and_unloaded_under_it(full, policy, knobs):
    pipe = WAN.build()
    pipe.load_lora_weights(weights(), adapter_name="style")
    with navicache.enable(pipe, policy, **knobs):
        styled = run(pipe)
        pipe.unload_lora_weights()
        assert torch.equal(run(pipe), cached(policy, knobs, lora=False))
    assert not torch.equal(styled, full[1])
    assert torch.equal(run(pipe), full[0])


def test_a_lora_stays_when_the_cache_goes(full):
    pipe = WAN.build()
    with navicache.enable(pipe, **POLICIES["navicache"]):
        pipe.load_lora_weights(weights(), adapter_name="style")
        run(pipe)
    assert torch.equal(run(pipe), full[1])


def test_fused_and_switched_off(full):
    pipe = WAN.build()
    pipe.load_lora_weights(weights(), adapter_name="style")
    with navicache.enable(pipe, "static", interval=1):  # computes everything
        assert torch.equal(run(pipe), full[1])
        pipe.disable_lora()
        assert torch.equal(run(pipe), full[0])
        pipe.enable_lora()
        pipe.fuse_lora()
        torch.testing.assert_close(run(pipe), full[1], rtol=1e-3, atol=1e-3)


@each_policy
def test_hotswap_while_the_cache_is_on(policy, knobs):
    pipe, other = WAN.build(), WAN.build()
    pipe.load_lora_weights(weights(), adapter_name="style")
    other.load_lora_weights(weights(seed=6), adapter_name="style")
    with navicache.enable(pipe, policy, **knobs), navicache.enable(other, policy, **knobs):
        styled = run(pipe)
        pipe.load_lora_weights(weights(seed=6), adapter_name="style", hotswap=True)
        swapped = run(pipe)
        assert not torch.equal(swapped, styled)
        assert torch.equal(swapped, run(other)), "as if it had been the first"
    assert torch.equal(run(pipe), run(other))
