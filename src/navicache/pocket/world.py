"""Deprecated: this is `navicache_pocket.world` now."""

from navicache.pocket.moved import forward_names

NAMES = {"captions": "write_captions", "covered": "mask_objects", "draw": "draw_scenes", "render": "render_videos"}
__getattr__ = forward_names(__name__, "navicache_pocket.world", NAMES)
