"""The pack loads however it was installed, and installing it never touches torch."""

import asyncio
import importlib.util
import sys
import zipfile
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.comfyui.server import PACKS, ROOT
from tests.comfyui.stand_in import load_pack
from tools.comfyui_pack import build_pack

PACK = PACKS["navicache"]


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that looks for ComfyUI and for the library."""
    load_pack(monkeypatch)
    return sys.modules["navicache_pack.library"]


def test_nothing_is_required_beside_comfyui() -> None:
    """ComfyUI's manager installs what requirements.txt names, and torch there would replace the user's."""
    files = [PACK / "requirements.txt", ROOT / "requirements.txt"]
    lines = [line for file in files for line in file.read_text().splitlines() if not line.startswith("#")]
    assert lines == []
    assert "dependencies = []" in (PACK / "pyproject.toml").read_text()
    assert not [path for path in PACK.rglob("*.py") if "matplotlib" in path.read_text()]


def test_a_clone_in_custom_nodes_is_the_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    load_pack(monkeypatch)  # for its stand-in of ComfyUI's API
    name = "/comfyui/custom_nodes/navicache"  # as ComfyUI names it
    spec = importlib.util.spec_from_file_location(name, ROOT / "__init__.py")
    assert spec is not None and spec.loader is not None
    clone = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, clone)
    spec.loader.exec_module(clone)
    extension = asyncio.run(clone.comfy_entrypoint())
    assert [node.__name__ for node in asyncio.run(extension.get_node_list())] == ["NaviCache", "NaviCacheReport"]
    for part in [part for part in sys.modules if part.startswith(f"{name}.")]:
        monkeypatch.delitem(sys.modules, part)
    assert (ROOT / "example_workflows" / "flux_dev.json").is_file()  # where ComfyUI looks for templates
    assert (ROOT / clone.WEB_DIRECTORY / "docs" / "NaviCache.md").is_file()


def test_the_library_beside_the_nodes_is_taken(library: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "navicache").mkdir()
    (tmp_path / "navicache" / "__init__.py").write_text("from navicache import part\n")
    (tmp_path / "navicache" / "part.py").write_text("")
    monkeypatch.setattr(library, "LIBRARY_FOLDERS", (tmp_path / "missing", tmp_path))
    monkeypatch.delitem(sys.modules, "navicache")
    monkeypatch.setitem(sys.modules, "navicache.part", ModuleType("navicache.part"))
    path = [*sys.path]
    assert Path(library.load_library().__file__).parent == tmp_path / "navicache"
    assert sys.path == path


def test_a_library_that_fails_leaves_nothing(library: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "navicache").mkdir()
    (tmp_path / "navicache" / "__init__.py").write_text("raise OSError('broken')\n")
    monkeypatch.setattr(library, "LIBRARY_FOLDERS", (tmp_path,))
    monkeypatch.delitem(sys.modules, "navicache")
    with pytest.raises(OSError, match="broken"):
        library.load_library()
    assert "navicache" not in sys.modules


def test_without_a_library_it_says_what_to_do(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "LIBRARY_FOLDERS", ())
    monkeypatch.setattr(library.importlib.util, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "navicache")
    with pytest.raises(ImportError, match="put a clone of the whole repository into custom_nodes"):
        library.load_library()


@pytest.mark.parametrize("io", [SimpleNamespace(MatchType=1), None], ids=["no DynamicCombo", "no API"])
def test_an_older_comfyui_is_told_to_update(library: Any, monkeypatch: pytest.MonkeyPatch, io: Any) -> None:
    latest = ModuleType("comfy_api.latest")
    if io is not None:
        vars(latest)["io"] = io
    monkeypatch.setitem(sys.modules, "comfy_api.latest", latest)
    with pytest.raises(ImportError, match=r"update ComfyUI to 0\.8\.0 or newer"):
        library.check_comfyui()


def test_the_built_pack_has_the_library_inside(tmp_path: Path) -> None:
    names = zipfile.ZipFile(build_pack(ROOT, tmp_path)).namelist()
    for name in ("__init__.py", "requirements.txt", "library/navicache/__init__.py", "example_workflows/flux_dev.json"):
        assert f"navicache/{name}" in names
    assert not [name for name in names if "__pycache__" in name]
