"""Old names of the public packages: they still work for one release, with a warning."""

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def resolve_renamed(module: str, names: Mapping[str, str], new_module: str = "") -> Callable[[str], Any]:
    """Build a module's `__getattr__` that maps old names to new ones, which may be in another module, and warns.

    Example:
        >>> resolve_renamed("navicache.policies", {"Verdict": "Decision"})("verdict")
        Traceback (most recent call last):
        AttributeError: module 'navicache.policies' has no attribute 'verdict'
    """

    def get_renamed(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new_name = f"{new_module}.{names[name]}" if new_module else names[name]
        warnings.warn(f"{module}.{name} is now {new_name}", DeprecationWarning, stacklevel=2)
        return getattr(importlib.import_module(new_module or module), names[name])

    return get_renamed
