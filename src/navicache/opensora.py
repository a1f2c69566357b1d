"""The former name of `navicache_opensora`: its names are found here with a warning until the next release."""

import warnings
from typing import Any

from navicache.weights_package import OPENSORA_CLASSES, import_opensora

NAMES = (*OPENSORA_CLASSES, "OpenSoraPipelineOutput")


def __getattr__(name: str) -> Any:
    """Look the name up in `navicache_opensora`."""
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_opensora(), name)
    message = f"navicache.opensora is now navicache_opensora: write `from navicache_opensora import {name}`"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return found
