"""A stand-in for torchvision, which SGLang and transformers import and nothing here calls.

Its wheels are built for one torch each, and PyPI's bring CUDA along. Any name of it is an empty class.
"""

from __future__ import annotations

import enum
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

MODES = ("NEAREST", "NEAREST_EXACT", "BILINEAR", "BICUBIC", "BOX", "HAMMING", "LANCZOS")


class Empty(ModuleType):
    """A module that has every name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return enum.Enum(name, MODES) if name == "InterpolationMode" else type(name, (), {})


class Finder(MetaPathFinder, Loader):
    """Finds torchvision and all below it."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, is_package=True) if fullname.split(".")[0] == "torchvision" else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Empty(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(__version__="0", __path__=[])


def stand_in() -> None:
    """From now on; where the real one is there, it stays."""
    if find_spec("torchvision") is None:
        sys.meta_path.append(Finder())
