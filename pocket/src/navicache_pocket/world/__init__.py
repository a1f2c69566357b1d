"""A small world of captioned videos: drawn from a seed, described in words, rendered with torch alone."""

from navicache_pocket.world.captions import list_vocabulary, write_captions
from navicache_pocket.world.render import locate_objects, mask_objects, render_videos
from navicache_pocket.world.scenes import Scenes, concatenate_scenes, draw_scenes, redraw_details

__all__ = [
    "Scenes",
    "concatenate_scenes",
    "draw_scenes",
    "list_vocabulary",
    "locate_objects",
    "mask_objects",
    "redraw_details",
    "render_videos",
    "write_captions",
]
