"""Old names of the public packages: they still work for one release, with a warning. `renamed.json` lists them."""

import importlib
import importlib.util
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from importlib.resources import files
from types import ModuleType
from typing import Any

SERVING_INSTALL_COMMAND = "run `pip install . ./serving` in a clone of navicache"


def resolve_renamed(module: str, names: Mapping[str, str] | None = None, new_module: str = "") -> Callable[[str], Any]:
    """Build a module's `__getattr__` that maps old names to new ones, which may be in another module, and warns.

    Without `names` they are those of the module in `renamed.json`, which is read when a name is not found.

    Example:
        >>> resolve_renamed("navicache.policies", {"Verdict": "Decision"})("verdict")
        Traceback (most recent call last):
        AttributeError: module 'navicache.policies' has no attribute 'verdict'
    """

    def get_renamed(name: str) -> Any:
        known = _read_names(module) if names is None else names
        if name not in known:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new_name = f"{new_module}.{known[name]}" if new_module else known[name]
        warnings.warn(f"{module}.{name} is now {new_name}", DeprecationWarning, stacklevel=2)
        return getattr(importlib.import_module(new_module or module), known[name])

    return get_renamed


def _read_names(module: str) -> Mapping[str, str]:
    return json.loads(files("navicache").joinpath("renamed.json").read_text(encoding="utf-8"))[module]


def resolve_moved(
    module: str, new_module: str, how_to_install: str, submodules: tuple[str, ...] = ()
) -> Callable[[str], Any]:
    """Build the `__getattr__` of a module that is in another distribution now: finds every name there, and warns.

    Its former submodules can be imported too.

    Example:
        >>> resolve_moved("navicache.old", "navicache_absent", "run `pip install ./absent`")("Name")
        Traceback (most recent call last):
        ImportError: navicache.old is now navicache_absent, which is not installed: run `pip install ./absent`
    """

    def get_moved(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        if importlib.util.find_spec(new_module.partition(".")[0]) is None:
            raise ImportError(f"{module} is now {new_module}, which is not installed: {how_to_install}")
        found = getattr(importlib.import_module(new_module), name)
        warnings.warn(f"{module}.{name} is now {new_module}.{name}", DeprecationWarning, stacklevel=2)
        return found

    for name in submodules:
        former = ModuleType(f"{module}.{name}")
        vars(former)["__getattr__"] = resolve_moved(former.__name__, f"{new_module}.{name}", how_to_install)
        vars(sys.modules[module])[name] = sys.modules[former.__name__] = former
    return get_moved
