"""Scenes of which a caption tells little: a board of shapes before a quilt of tiles, decided by the seed."""

from navicache_pocket.world.wild.render import render_wild_videos
from navicache_pocket.world.wild.scenes import WildScenes, WildSettings, draw_wild_scenes, list_captions, write_captions

__all__ = [
    "WildScenes",
    "WildSettings",
    "draw_wild_scenes",
    "list_captions",
    "render_wild_videos",
    "write_captions",
]
