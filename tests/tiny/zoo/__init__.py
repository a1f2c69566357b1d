"""Tiny builds of many pipeline classes of diffusers, as data; the families tested in depth are one folder up."""

from __future__ import annotations

from .case import STEPS, Case
from .from_media import FROM_MEDIA
from .images_cross import IMAGES_CROSS
from .images_joint import IMAGES_JOINT
from .images_one_stream import IMAGES_ONE_STREAM
from .unets import UNETS
from .video_cross import VIDEO_CROSS
from .video_joint import VIDEO_JOINT

TABLES = (VIDEO_CROSS, VIDEO_JOINT, IMAGES_JOINT, IMAGES_CROSS, IMAGES_ONE_STREAM, FROM_MEDIA, UNETS)
ZOO: dict[str, Case] = {case.name: case for table in TABLES for case in table}

__all__ = ["STEPS", "ZOO", "Case"]
