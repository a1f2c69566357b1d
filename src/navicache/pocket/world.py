"""Deprecated: this is `navicache_pocket.world` now."""

from navicache.renamed import resolve_renamed

NAMES = {"captions": "write_captions", "covered": "mask_objects", "draw": "draw_scenes", "render": "render_videos"}
__getattr__ = resolve_renamed(__name__, NAMES, "navicache_pocket.world")
