"""Old names of the public packages: they still work for one release, with a warning."""

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def resolve_renamed(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Build a module's `__getattr__` that maps old names to new ones and warns.

    Example:
        >>> resolve_renamed("navicache.policies", {"Verdict": "Decision"})("verdict")
        Traceback (most recent call last):
        AttributeError: module 'navicache.policies' has no attribute 'verdict'
    """

    def get_renamed(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{module}.{name} is now {names[name]}", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[module], names[name])

    return get_renamed
