"""Names that moved to the package `navicache_pocket`: for one release they work here too, and warn."""

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def forward_names(old: str, new: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for the module `old`: each of `names` is looked up in the module `new`, by its name there."""

    def get_moved_name(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {old!r} has no attribute {name!r}")
        warnings.warn(f"{old}.{name} is now {new}.{names[name]}", DeprecationWarning, stacklevel=2)
        return getattr(importlib.import_module(new), names[name])

    return get_moved_name
