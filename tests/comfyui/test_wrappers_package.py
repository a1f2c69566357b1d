"""The wrappers are a package of their own inside the node pack, and their former place says where they are."""

import doctest
import importlib
import pkgutil
import sys
from pathlib import Path

import pytest
from tests.comfyui.server import PACKS
from tests.comfyui.stand_in import load_pack

import navicache_comfyui

FORMER = "navicache.integrations.comfyui"
MODULES = [module.name for module in pkgutil.iter_modules(navicache_comfyui.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"navicache_comfyui.{name}")).failed == 0


def test_nodes_use_the_copy_in_their_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "navicache_comfyui", None)  # ComfyUI has the folder of the pack on no path
    pack = load_pack(monkeypatch)
    assert pack.cache_node.attach.__module__ == "navicache_pack.navicache_comfyui.patch"
    assert Path(sys.modules[pack.cache_node.attach.__module__].__file__ or "").is_relative_to(PACKS["navicache"])


@pytest.fixture
def former(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The former module, not imported yet."""
    monkeypatch.delitem(sys.modules, FORMER, raising=False)
    return monkeypatch


@pytest.mark.parametrize(("old", "new"), [("attach",) * 2, ("last_run",) * 2, ("Report", "SamplingReport")])
def test_the_former_place_works_and_warns(former: pytest.MonkeyPatch, old: str, new: str) -> None:
    module = importlib.import_module(FORMER)
    with pytest.warns(DeprecationWarning, match=rf"^{FORMER}\.{old} is now navicache_comfyui\.{new}$") as caught:
        assert getattr(module, old) is getattr(navicache_comfyui, new)
    assert caught[0].filename == __file__


def test_the_former_place_says_what_to_do_without_the_pack(former: pytest.MonkeyPatch) -> None:
    former.delitem(sys.modules, "navicache_comfyui")
    former.setattr(sys, "path", [path for path in sys.path if Path(path) != PACKS["navicache"]])
    with pytest.raises(ImportError, match=r"copy the folder comfyui .* to custom_nodes/navicache again.*PYTHONPATH"):
        importlib.import_module(FORMER)
