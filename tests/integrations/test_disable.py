"""Caches whose handle is lost."""

from __future__ import annotations

import pytest
import torch
from tests.integrations.toys import KNOBS, Toy, ToyModel
from tests.tiny import TINY
from torch import nn

import navicache
from navicache.integrations.attachments import find_attachment
from navicache.integrations.diffusers import find_cache_hook


def test_a_module() -> None:
    toy = Toy()
    navicache.enable(toy, **KNOBS)
    navicache.disable(toy)
    assert find_attachment(toy) is None


def test_a_model_of_diffusers() -> None:
    model = ToyModel()
    navicache.enable(model, **KNOBS)
    navicache.disable(model)
    assert find_cache_hook(model) is None


def test_all_denoisers_of_a_pipeline() -> None:
    pipe = TINY["wan22"].build()
    navicache.enable(pipe)
    assert find_cache_hook(pipe.transformer) is not None and find_cache_hook(pipe.transformer_2) is not None
    navicache.disable(pipe)
    assert find_cache_hook(pipe.transformer) is None and find_cache_hook(pipe.transformer_2) is None


def test_a_handle() -> None:
    calls: list[float] = []

    def model(x: torch.Tensor, t: float) -> torch.Tensor:
        calls.append(t)
        return -x

    cache = navicache.enable(model, "static", interval=4, steps=8)
    navicache.disable(cache)
    for step in range(8):
        cache(torch.ones(1, 4), float(8 - step))
    assert len(calls) == 8


@pytest.mark.parametrize("target", [nn.Identity(), ToyModel()], ids=["module", "model"])
def test_where_there_is_none_nothing_happens(target: nn.Module) -> None:
    before = dict(vars(target))
    navicache.disable(target)
    assert vars(target) == before


@pytest.mark.parametrize("target", [len, 3, None])
def test_what_cannot_have_one_is_refused(target: object) -> None:
    with pytest.raises(TypeError, match=f"cannot disable a {type(target).__name__}: pass a pipeline, a module or"):
        navicache.disable(target)
