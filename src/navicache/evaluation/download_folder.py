"""Where fetched files are kept: one folder a user."""

import os
import sys
from pathlib import Path


def get_download_folder() -> Path:
    """`NAVICACHE_HOME`; without it the platform's folder for caches, which XDG_CACHE_HOME moves. It need not exist.

    Example:
        >>> get_download_folder().is_absolute()
        True
    """
    if home := os.environ.get("NAVICACHE_HOME"):
        return Path(home).expanduser().absolute()
    if caches := os.environ.get("XDG_CACHE_HOME"):
        return Path(caches).absolute() / "navicache"
    return _get_platform_cache_folder(sys.platform) / "navicache"


def _get_platform_cache_folder(platform: str) -> Path:
    user = Path.home()
    if platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or user / "AppData" / "Local")
    return user / "Library" / "Caches" if platform == "darwin" else user / ".cache"
