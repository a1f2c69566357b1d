"""A first call that also stores keys may return more tokens than later ones: no prediction spans the two."""

from __future__ import annotations

import torch
from torch import Tensor, nn

import navicache

STEPS, TEXT, IMAGE = 12, 3, 6


class Prefilling(nn.Module):
    """As Qwen-Image 2.1: the text's tokens are computed, and returned, by the call that stores their keys alone."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(
        self, hidden_states: Tensor, timestep: Tensor, encoder_hidden_states: Tensor, kv_cache_mode: str | None = None
    ) -> Tensor:
        self.calls += 1
        image = 0.1 * hidden_states + timestep / 1000
        return image if kv_cache_mode == "cached" else torch.cat([encoder_hidden_states, image], dim=1)


@torch.no_grad()
def generate(model: nn.Module) -> Tensor:
    x, text = torch.randn((1, IMAGE, 4), generator=torch.Generator().manual_seed(0)), torch.ones(1, TEXT, 4)
    for i, t in enumerate(torch.linspace(1000, 60, STEPS)):
        x = x - 0.05 * model(x, t, text, kv_cache_mode="cached" if i else "extract")[:, -IMAGE:]
    return x


def test_what_the_storing_call_returns_is_not_predicted_from() -> None:
    model = Prefilling()
    exact = generate(model)
    with navicache.enable(model, speedup=2.0, steps=STEPS):
        results = [generate(model) for _ in range(2)]
    assert torch.equal(*results)
    assert results[0].shape == exact.shape
    assert STEPS < model.calls < 3 * STEPS
