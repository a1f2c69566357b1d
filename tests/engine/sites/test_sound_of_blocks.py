"""Blocks that carry the sound along: how far its tokens were off is in the trace."""

from typing import Literal

import pytest
import torch
from torch import Tensor, nn

import navicache

STEPS = 10
NAME = "audio_hidden_states"


class Pair(nn.Module):
    """A block of two streams: what it adds to the sound grows with the time, what it adds to the video does not."""

    def forward(self, hidden_states: Tensor, audio_hidden_states: Tensor, time: Tensor) -> tuple[Tensor, Tensor]:
        return hidden_states + 0.1, audio_hidden_states + time / 2


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.transformer_blocks = nn.ModuleList([Pair(), Pair()])

    def forward(
        self, hidden_states: Tensor, audio_hidden_states: Tensor, timestep: Tensor, encoder_hidden_states: Tensor
    ) -> Tensor:
        del encoder_hidden_states  # it tells branches apart
        x, sound = hidden_states, audio_hidden_states
        for block in self.transformer_blocks:
            x, sound = block(x, sound, timestep)
        return x


@torch.no_grad()
@pytest.mark.parametrize("branches", [1, 2])
@pytest.mark.parametrize("shadow", [None, "cached", "full"])
def test_the_error_of_the_sounds_tokens_is_in_the_trace(shadow: Literal["cached", "full"] | None, branches: int):
    model, texts = Model(), [torch.ones(1, 3, 2) * branch for branch in range(branches)]
    with navicache.enable(
        model, "navicache", threshold=9.0, align_steps=2, steps=STEPS, site="blocks", shadow=shadow
    ) as cache:
        for step in range(STEPS):
            x, time = torch.ones(1, 4, 2) * (STEPS - step), torch.tensor(float(STEPS - step))
            for text in texts:
                model(x, torch.ones(1, 3, 2), time, text)
    (run,) = cache.trace.runs
    expected, last = [None], float(STEPS)
    for time in range(STEPS - 1, 0, -1):
        is_computed = time in (STEPS - 1, 1)
        expected.append(pytest.approx(abs(time - last) / (1 + time)) if is_computed or shadow else None)
        last = time if is_computed else last
    found = [(step.other_errors or {}).get(NAME) for step in run.leading]
    assert found == expected
    assert all(step.other_errors is None for step in run.steps if step.stream != run.leading[0].stream)
    assert run.computed_steps() == (0, 1, STEPS - 1)
    assert f" {NAME}\n" in cache.summary(), "a column of its own"
