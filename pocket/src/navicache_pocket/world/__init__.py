"""A small world of captioned videos: drawn from a seed, described in words, rendered with torch alone."""

from navicache_pocket.world.captions import captions, vocabulary
from navicache_pocket.world.render import covered, render, seen_at
from navicache_pocket.world.scenes import Scenes, draw, join, retake

__all__ = ["Scenes", "captions", "covered", "draw", "join", "render", "retake", "seen_at", "vocabulary"]
