"""As much of ComfyUI's schema as the node pack uses, so that it can be looked at without ComfyUI."""

import importlib.util
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.comfyui.server import PACKS


class Kept:
    """Any part of a schema: what it was made with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs

    def __getattr__(self, name: str) -> Any:
        try:
            return self.kwargs[name]
        except KeyError:
            raise AttributeError(name) from None


def _kind(**more: Any) -> SimpleNamespace:
    parts = {name: type(name, (Kept,), {}) for name in ("Input", "Output", "Option", "Template")}
    return SimpleNamespace(**parts, **more)


def _api() -> dict[str, ModuleType]:
    kinds = ("Model", "Latent", "Image", "Video", "String", "Float", "Int", "Combo", "DynamicCombo", "MatchType")
    io = SimpleNamespace(**{name: _kind() for name in kinds})
    io.ComfyNode, io.Schema, io.NodeOutput = type("ComfyNode", (), {}), Kept, Kept
    io.NumberDisplay = SimpleNamespace(slider="slider")
    package, latest = ModuleType("comfy_api"), ModuleType("comfy_api.latest")
    names = {"io": io, "ui": SimpleNamespace(PreviewImage=Kept), "ComfyExtension": type("ComfyExtension", (), {})}
    vars(latest).update(names)
    return {"comfy_api": package, "comfy_api.latest": latest}


def load_pack(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The node pack, imported as ComfyUI does: by its folder, under a name of its own."""
    for name, module in _api().items():
        monkeypatch.setitem(sys.modules, name, module)
    name = "navicache_pack"
    spec = importlib.util.spec_from_file_location(name, PACKS["navicache"] / "__init__.py")
    assert spec is not None and spec.loader is not None
    pack = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, pack)
    for part in ("library", "cache_node", "report_node", "node_inputs", "trace_image"):
        monkeypatch.delitem(sys.modules, f"{name}.{part}", raising=False)
    spec.loader.exec_module(pack)
    return pack


def widgets(schema: Kept) -> dict[str, Kept]:
    """Inputs by name that are no sockets, what a choice brings with it under "choice: name"."""
    found: dict[str, Kept] = {}
    for entry in schema.inputs:
        if "default" in entry.kwargs or "options" in entry.kwargs:
            found[entry.args[0]] = entry
        for option in (option for option in entry.kwargs.get("options", ()) if isinstance(option, Kept)):
            key, inputs = option.args
            found |= {f"{key}: {inner.args[0]}": inner for inner in inputs}
    return found
