"""The cache by diffusers' own method: `register()`, then `transformer.enable_cache(NaviCacheConfig(...))`.

Opt-in: `import navicache` does not import it. Inside this package `diffusers` always means the other one: imports are
absolute.
"""

from navicache.integrations.config import NaviCacheConfig
from navicache.integrations.register import cache_of, register, unregister

__all__ = ["NaviCacheConfig", "cache_of", "register", "unregister"]
