"""Calls that only store keys and values: passed on as they are at every site, and no step of the run."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.robustness.stack import SITES, Stack
from torch import Tensor

import navicache
from navicache.records import Trace

STEPS = 8
STORING = {"is_cache_step": True}
CONDITION = torch.ones(1, 3, 2)


class Storing(Stack):
    """Takes AnyFlow's flag; counts how often a call that stores reaches it, and its last block."""

    stored, inside = 0, 0

    def forward(
        self, hidden_states: Tensor, timestep: Tensor, encoder_hidden_states: Tensor, kv_cache_flag: Any = None
    ) -> Tensor:
        before = self.inside
        output = super().forward(hidden_states, timestep, encoder_hidden_states)
        if kv_cache_flag is STORING:
            self.stored += self.inside > before
        return output


def generate(site: dict[str, Any], flag: Any, **more: Any) -> tuple[Storing, Tensor, Trace]:
    """A run with a call in its middle that carries the flag; without one if it is None."""
    model, x = Storing(), torch.ones(1, 5, 2)

    def count(*_: Any) -> None:
        model.inside += 1

    model.blocks[-1].attn1.register_forward_hook(count)
    with navicache.enable(model, **site, **more, steps=STEPS) as cache:
        for step in range(STEPS):
            time = torch.tensor([1000.0 - 100 * step])
            x = x - 0.01 * model(x, time, CONDITION)
            if flag is not None and step > STEPS // 2:
                model(x + 1, time, CONDITION, kv_cache_flag=flag)
    return model, x, cache.trace


@pytest.mark.parametrize("shadow", [None, "cached"])
@pytest.mark.parametrize("site", SITES)
def test_a_call_that_stores_is_made_once_and_is_no_step(site: str, shadow: str | None) -> None:
    _, plain, expected = generate(SITES[site], None, shadow=shadow)
    model, x, trace = generate(SITES[site], STORING, shadow=shadow)
    extra = STEPS - STEPS // 2 - 1
    assert model.stored == extra
    assert torch.equal(x, plain) and trace == expected
    if shadow is not None:
        assert model.calls == STEPS + extra


@pytest.mark.parametrize("flag", [True, 1, {}, {"is_cache_step": False}], ids=repr)
def test_an_argument_of_that_name_that_says_nothing_about_storing(flag: Any) -> None:
    _, _, trace = generate(SITES["static"], flag)
    assert sum(run.length for run in trace.runs) > STEPS
