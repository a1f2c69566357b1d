"""Deprecated: this is `navicache_pocket.world` now."""

from navicache.pocket.moved import forward_names

NAMES = {name: name for name in ("captions", "covered", "draw", "render")}
__getattr__ = forward_names(__name__, "navicache_pocket.world", NAMES)
