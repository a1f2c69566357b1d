"""A plain module that was compiled as a whole before the cache came."""

from __future__ import annotations

import pytest
import torch
from tests.integrations.counting import Count
from tests.integrations.toys import COND, KNOBS, Toy, denoise
from torch import Tensor

import navicache


@pytest.mark.parametrize("fullgraph", [False, True])
def test_a_plain_module(fullgraph: bool) -> None:
    torch._dynamo.reset()
    toy, count = Counted(), Count()
    toy.compile(backend=count, fullgraph=fullgraph)
    with navicache.enable(toy, **KNOBS) as cache:
        for _ in range(3):
            assert not all(call.computed for call in denoise(toy, lambda step: [COND]))
    assert len(cache.trace.runs) == 3
    assert len(count.graphs) == 1
    assert count.calls == sum(run.computed for run in cache.trace.runs)
    calls = count.calls
    list(denoise(toy, lambda step: [COND]))
    assert count.calls - calls == 16


class Counted(Toy):
    """A toy that counts where it does not disturb a graph: a number in a graph would be a constant of it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = torch.zeros(1)

    @property
    def calls(self) -> int:
        return int(self.seen)

    @calls.setter
    def calls(self, value: int) -> None: ...

    def forward(self, x: Tensor, timestep: Tensor, encoder_hidden_states: Tensor, scale: float = 1.0) -> Tensor:
        self.seen.add_(1)
        return 0.1 * x + 10 * encoder_hidden_states.mean()
