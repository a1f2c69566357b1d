"""The code of other programs, from a folder that is none of ours: each under its own name, and gone again afterwards.

NAVICACHE_HOSTS names a folder with one checkout a program (wan21, wan22, hunyuanvideo, hunyuanvideo15, ltx2, wan2gp,
fastvideo, framepack, diffsynth, musubi, kandinsky6, opensora, xdit), and `site` for the small packages they need beside
ours (einops, easydict, loguru, yunchang, distvae). triton has a folder of its own, `xdit_site`: torch would take notice
of it in all other tests. So has what WanGP imports: `site_wan2gp`.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers.utils import is_torchvision_available

VARIABLE = "NAVICACHE_HOSTS"


class Absent(ModuleType):
    """Stands for a module that a program imports and this run has no use for: every name in it is an empty class."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__spec__ = ModuleSpec(name, None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return sys.modules.get(f"{self.__name__}.{name}") or type(name, (), {})


def checkout(name: str, inside: str = "") -> Path:
    """The folder of a program's code; without it the test says why it was left out."""
    folder = os.environ.get(VARIABLE)
    if folder is None:
        pytest.skip(f"no code of other programs: set {VARIABLE} to a folder with their checkouts")
    if not (Path(folder) / name).is_dir():
        pytest.skip(f"no checkout of {name} in {VARIABLE}")
    return Path(folder) / name / inside


@contextmanager
def opened(root: Path, *bare: str) -> Iterator[None]:
    """Import from a checkout meanwhile; `bare` packages do without their `__init__`, which imports far too much."""
    path, before = list(sys.path), set(sys.modules)
    sys.path[:0] = [str(root), str(Path(os.environ[VARIABLE]) / "site")]
    sys.modules |= {name: bare_package(root, name) for name in bare}
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = path
        for name in [
            n for n, module in sys.modules.items() if n not in before and (n in bare or _is_from(root, module))
        ]:
            del sys.modules[name]


def load(name: str, *absent: str) -> Any:
    """A module of an opened checkout; meanwhile some modules are stood in for, that need CUDA or are not installed."""
    is_torchvision_available()  # asked once for all: a stand-in would pass for the real one
    missing = [module for module in absent if module not in sys.modules]
    sys.modules |= {module: Absent(module) for module in missing}
    try:
        return importlib.import_module(name)
    finally:
        for module in missing:
            del sys.modules[module]


def bare_package(root: Path, name: str) -> ModuleType:
    """A package without its `__init__`."""
    package = ModuleType(name)
    package.__path__ = [str(root.joinpath(*name.split(".")))]
    return package


def _is_from(root: Path, module: ModuleType) -> bool:
    places = [getattr(module, "__file__", None) or "", *getattr(module, "__path__", ())]  # of a folder without a file
    return any(Path(place).is_relative_to(root.absolute()) for place in places)


def attend(q: Tensor, k: Tensor, v: Tensor, *_: Any, **__: Any) -> Tensor:
    """Flash attention's layout, (batch, tokens, heads, channels), by torch's own kernel, which needs no CUDA."""
    q, k, v = (part.transpose(1, 2) for part in (q, k, v))
    return torch.nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2)


def bare_object(kind: type, attributes: Mapping[str, Any]) -> Any:
    """An object without its constructor, which would load weights; its methods are the real ones."""
    made = object.__new__(kind)
    vars(made).update(attributes)
    return made


def same_arguments(real: Callable[..., Any], stand_in: Callable[..., Any]) -> bool:
    """Whether a stand-in is called as the real one: names, their order, and which may be left out."""
    lists = [inspect.signature(function).parameters.values() for function in (real, stand_in)]
    one, other = [[(p.name, p.kind, p.default is p.empty) for p in parameters] for parameters in lists]
    return one == other
