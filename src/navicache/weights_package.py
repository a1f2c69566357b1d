"""Weights are a package of their own, `navicache-pocket`: files that are found where it is installed."""

import importlib.util
from pathlib import Path

INSTALL_COMMAND = 'pip install "navicache[pocket]"'


def find_weights_folder(folder_name: str) -> Path | None:
    """The folder of this name in `navicache-pocket`; None where that is not installed.

    Example:
        >>> find_weights_folder("wan").name
        'wan'
    """
    found = importlib.util.find_spec("navicache_pocket")
    return None if found is None or found.origin is None else Path(found.origin).parent / folder_name
