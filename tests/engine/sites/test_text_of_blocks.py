"""Blocks that carry the text along, and do not all return it."""

import pytest
import torch
from torch import Tensor, nn

import navicache

STEPS = 12


class Pair(nn.Module):
    """A block of two streams; the last one of a model returns no text, or shorter one."""

    def __init__(self, length: int | None) -> None:
        super().__init__()
        self.length = length

    def forward(self, hidden_states: Tensor, encoder_hidden_states: Tensor) -> tuple[Tensor | None, Tensor]:
        hidden = hidden_states + 0.1 * encoder_hidden_states.mean() + 0.1
        return None if self.length is None else 1.1 * encoder_hidden_states[:, : self.length], hidden


class Model(nn.Module):
    def __init__(self, last: int | None) -> None:
        super().__init__()
        self.transformer_blocks = nn.ModuleList([Pair(4), Pair(4), Pair(last)])

    def forward(self, hidden_states: Tensor, timestep: Tensor, encoder_hidden_states: Tensor) -> Tensor:
        x, text = hidden_states + timestep.reshape(-1, 1, 1) / 1000, encoder_hidden_states
        for block in self.transformer_blocks:
            text, x = block(x, text)
        return x


@torch.no_grad()
@pytest.mark.parametrize("last", [4, None, 3], ids=["text", "no text", "shorter text"])
def test_the_last_block_need_not_return_the_text(last: int | None) -> None:
    """As that of Stable Diffusion 3, whose text ends before it."""
    model, x, text = Model(last), torch.ones(1, 6, 2), torch.ones(1, 4, 2)
    with navicache.enable(model, "navicache", threshold=9.0, align_steps=2, steps=STEPS, site="blocks") as cache:
        for step in range(STEPS):
            time = torch.tensor([1000.0 - 80 * step])
            torch.testing.assert_close(model(x, time, text), Model(last)(x, time, text))
    assert cache.trace.runs[0].computed < STEPS
