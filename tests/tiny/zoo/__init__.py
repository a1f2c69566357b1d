"""Tiny builds of many pipeline classes of diffusers, as data; the families tested in depth are one folder up."""

from __future__ import annotations

from .case import STEPS, Case
from .images import IMAGES
from .variants import VARIANTS
from .video import VIDEO

ZOO: dict[str, Case] = {case.name: case for case in (*VIDEO, *VARIANTS, *IMAGES)}

__all__ = ["STEPS", "ZOO", "Case"]
