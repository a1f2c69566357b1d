"""`navicache.diffusers.unregister`: the methods are the very ones they were, and no cache stays on behind them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from diffusers import CacheMixin, FirstBlockCacheConfig
from tests.integrations.common import attributes
from tests.tiny.wan import WAN

import navicache
from navicache.diffusers import NaviCacheConfig, register, unregister
from navicache.integrations.diffusers import find_cache_hook

ORIGINAL = {name: vars(CacheMixin)[name] for name in ("enable_cache", "disable_cache", "is_cache_enabled")}


def methods() -> dict[str, Any]:
    return {name: vars(CacheMixin)[name] for name in ORIGINAL}


@pytest.fixture
def registered() -> Iterator[None]:
    register()
    yield
    unregister()
    assert methods() == ORIGINAL


@pytest.fixture
def pipe(registered: None) -> Any:
    return WAN.build()


def test_registering_twice_is_once(registered):
    extended = methods()
    register()
    assert methods() == extended
    assert extended["is_cache_enabled"] is ORIGINAL["is_cache_enabled"]
    unregister()
    assert all(methods()[name] is ORIGINAL[name] for name in ORIGINAL)
    unregister()


def test_unregister_takes_off_what_is_still_on(pipe):
    full = WAN.call(pipe, steps=4)
    before = attributes(pipe)
    pipe.transformer.enable_cache(NaviCacheConfig("static"))
    unregister()
    assert not pipe.transformer.is_cache_enabled
    assert attributes(pipe) == before
    assert torch.equal(WAN.call(pipe, steps=4), full)


@pytest.mark.parametrize("take_off", [navicache.disable, lambda model: find_cache_hook(model).detach_attachment()])
def test_diffusers_hears_of_it_whoever_takes_it_off(pipe, take_off):
    pipe.transformer.enable_cache(NaviCacheConfig())
    take_off(pipe.transformer)
    assert not pipe.transformer.is_cache_enabled
    pipe.transformer.enable_cache(FirstBlockCacheConfig())
    navicache.disable(pipe.transformer)  # is not about theirs
    assert pipe.transformer.is_cache_enabled
    pipe.transformer.disable_cache()


def test_what_was_wrapped_since_is_not_torn_out(registered, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(CacheMixin, "enable_cache", functools.wraps(CacheMixin.enable_cache)(lambda *_: None))
        with pytest.raises(RuntimeError, match=r"CacheMixin.enable_cache was wrapped again .*: undo that first"):
            unregister()


def test_it_looks_like_the_original(registered):
    assert CacheMixin.enable_cache.__doc__ == ORIGINAL["enable_cache"].__doc__
    assert WAN.build().transformer.enable_cache.__name__ == "enable_cache"
