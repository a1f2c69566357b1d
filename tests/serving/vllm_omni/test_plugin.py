"""The selector of vLLM-Omni with one more name, on modules that stand in for its own."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from navicache_serving.vllm_omni import plugin


def known(cache_backend: str | None, cache_config: Any) -> Any:
    if cache_backend != "tea_cache":
        raise ValueError(f"Unsupported cache backend: {cache_backend}")
    return "theirs"


class Base:
    """As vLLM-Omni's CacheBackend."""


@pytest.fixture(params=[False, True], ids=["runner later", "runner first"])
def modules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[ModuleType]:
    selector, runner, base, data = (ModuleType(name) for name in ("selector", "runner", "base", "data"))
    selector.get_cache_backend = runner.get_cache_backend = known
    base.CacheBackend = Base
    data.DiffusionCacheConfig = SimpleNamespace(from_dict=lambda given: SimpleNamespace(_extra_params=given))
    packages = ("vllm_omni", "vllm_omni.diffusion", "vllm_omni.diffusion.cache", "vllm_omni.diffusion.worker")
    for name in packages:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, plugin.SELECTOR_MODULE, selector)
    monkeypatch.setitem(sys.modules, "vllm_omni.diffusion.cache.base", base)
    monkeypatch.setitem(sys.modules, "vllm_omni.diffusion.data", data)
    if request.param:
        monkeypatch.setitem(sys.modules, plugin.RUNNER_MODULE, runner)
    return [selector, runner] if request.param else [selector]


def test_one_name_is_added_and_all_others_stay(modules: list[ModuleType]) -> None:
    plugin.register()
    for module in modules:
        made = module.get_cache_backend("navicache", {"speedup": 2.0})
        assert isinstance(made, Base) and not made.is_enabled()
        assert module.get_cache_backend("navicache", None).config._extra_params == {}
        assert module.get_cache_backend("tea_cache", {}) == "theirs"
        with pytest.raises(ValueError, match="Unsupported cache backend: nobody"):
            module.get_cache_backend("nobody", {})
        with pytest.raises(ValueError, match="did you mean 'speedup'"):
            module.get_cache_backend("navicache", {"sped_up": 2})


def test_twice_is_once_and_it_can_be_undone(modules: list[ModuleType]) -> None:
    plugin.register()
    bound = modules[0].get_cache_backend
    plugin.register()
    assert modules[0].get_cache_backend is bound
    plugin.unregister()
    plugin.unregister()
    assert [module.get_cache_backend for module in modules] == [known] * len(modules)


@pytest.mark.parametrize("missing", ["function", "module"])
def test_a_selector_that_is_not_there_warns_and_ends_no_server(
    modules: list[ModuleType], missing: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if missing == "function":
        del modules[0].get_cache_backend
    else:
        monkeypatch.setitem(sys.modules, plugin.SELECTOR_MODULE, None)
    plugin.register()
    assert 'cache_backend="navicache" is not available' in caplog.text
    assert all(bound is known for bound in [*(vars(each).get("get_cache_backend", known) for each in modules)])
