"""Quantised linears: what the model computes is another matter, what the cache does is the same."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.tiny.wan import WAN
from torch import nn

import navicache

STEPS = 12
POLICIES: dict[str, dict[str, Any]] = {
    "navicache": {"threshold": 0.4, "align_steps": 3},
    "firstblockcache": {"threshold": 0.5},
    "pab": {"self_attention": 2, "self_window": (0, 1000)},
}


class Int8(nn.Module):
    """A linear layer with weights of eight bits and one scale per output, as weight-only quantisers leave it."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        scale = linear.weight.detach().abs().amax(1, keepdim=True) / 127
        self.register_buffer("weight", (linear.weight.detach() / scale).round().to(torch.int8))
        self.register_buffer("scale", scale)
        self.bias = linear.bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.linear(x, self.weight * self.scale, self.bias)


def by_hand(blocks: nn.Module) -> None:
    for name, module in list(blocks.named_modules()):
        if isinstance(module, nn.Linear):
            blocks.set_submodule(name, Int8(module))


def by_torchao(blocks: nn.Module) -> None:
    quantization = pytest.importorskip("torchao.quantization", reason="the newest torchao asks for a newer torch")
    quantization.quantize_(blocks, quantization.Int8WeightOnlyConfig())


@pytest.mark.parametrize("quantise", [by_hand, by_torchao])
@pytest.mark.parametrize(("policy", "knobs"), POLICIES.items(), ids=POLICIES)
def test_quantised_before_the_cache_and_under_it(quantise, policy, knobs):
    pipe = WAN.build()
    exact = WAN.call(pipe, steps=STEPS)
    quantise(pipe.transformer.blocks)
    full = WAN.call(pipe, steps=STEPS)
    assert not torch.equal(full, exact)
    with navicache.enable(pipe, policy, **knobs) as cache:
        first, second = (WAN.call(pipe, steps=STEPS) for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first, full)
    assert len(cache.trace.runs) == 2
    assert torch.equal(WAN.call(pipe, steps=STEPS), full)
    late = WAN.build()
    with navicache.enable(late, "navicache", **POLICIES["navicache"]):
        quantise(late.transformer.blocks)
        WAN.call(late, steps=STEPS)
    assert torch.equal(WAN.call(late, steps=STEPS), full)
