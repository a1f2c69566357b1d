"""Caches whose handle is lost."""

from __future__ import annotations

import copy

import pytest
import torch
from tests.integrations.toys import KNOBS, Toy, ToyModel
from tests.robustness.stack import SITES, Stack, enabled
from tests.robustness.test_long_life import CONDITION, LATENTS, TIMES, generate
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


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("hold", ["forward", "shallow copy", "forward put over it"])
def test_whoever_still_holds_the_cached_forward_gets_the_model_after_disable(site: str, hold: str) -> None:
    model, cache = enabled(site, steps=6)
    forward, called = model.forward, model
    if hold == "forward":
        called = forward
    elif hold == "shallow copy":
        called = copy.copy(model)
    else:
        model.forward = lambda *args: forward(*args)
    generate(called)
    cache.disable()
    before = model.calls
    for step, time in enumerate(TIMES):
        latent = LATENTS[0] + 0.03 * step * LATENTS[1]
        assert torch.equal(called(latent, time, CONDITION), Stack()(latent, time, CONDITION))
    assert hold == "shallow copy" or model.calls == before + len(TIMES)
    assert len(cache.trace.runs) == 1


def test_so_does_whoever_holds_that_of_a_model_of_diffusers() -> None:
    model, x = ToyModel(), torch.ones(1, 4, 2, 2)
    cache = navicache.enable(model, **KNOBS, steps=20)
    forward = model.forward
    cache.disable()
    for step in range(20):
        forward(x * (1 - 1e-4 * step), torch.tensor([20.0 - step]), x)
    assert model.calls == 20 and not cache.trace.runs
