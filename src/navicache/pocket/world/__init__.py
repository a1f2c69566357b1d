"""A small world of captioned videos: drawn from a seed, described in words, rendered with torch alone."""

from navicache.pocket.world.captions import captions, vocabulary
from navicache.pocket.world.render import render
from navicache.pocket.world.scenes import Scenes, draw, join, retake

__all__ = ["Scenes", "captions", "draw", "join", "render", "retake", "vocabulary"]
