"""The plug-ins are a package of their own, and their former place says where they are."""

from __future__ import annotations

import importlib
import importlib.util
from importlib.metadata import entry_points

import pytest

FORMER = (("server_settings", "read_settings"), ("sglang.plugin", "register"), ("vllm_omni.plugin", "unregister"))


@pytest.mark.parametrize("group", ["sglang.multimodal_gen.plugins", "vllm_omni.general_plugins"])
def test_a_server_finds_one_plug_in(group: str) -> None:
    (found,) = (each for each in entry_points(group=group) if each.name == "navicache")
    assert found.dist is not None and found.dist.name == "navicache-serving"
    assert found.load().__module__.startswith("navicache_serving.")


@pytest.mark.parametrize(("module", "name"), FORMER)
def test_the_former_place_works_and_warns(module: str, name: str) -> None:
    former, new = f"navicache.integrations.{module}", f"navicache_serving.{module}"
    with pytest.warns(DeprecationWarning, match=rf"^{former}\.{name} is now {new}\.{name}$") as caught:
        assert getattr(importlib.import_module(former), name) is getattr(importlib.import_module(new), name)
    assert caught[0].filename == __file__


def test_a_former_submodule_is_an_attribute_too() -> None:
    import navicache.integrations.vllm_omni

    with pytest.warns(DeprecationWarning, match=r"navicache_serving\.vllm_omni\.plugin\.BACKEND_NAME"):
        assert navicache.integrations.vllm_omni.plugin.BACKEND_NAME == "navicache"


@pytest.mark.parametrize(("module", "name"), FORMER)
def test_the_former_place_says_what_to_install(monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda wanted, *rest: None if "serving" in wanted else find(wanted, *rest)
    )
    with pytest.raises(ImportError, match=r"not installed: run `pip install \. \./serving` in a clone of navicache"):
        getattr(importlib.import_module(f"navicache.integrations.{module}"), name)
