"""Tiny builds for denoiser classes that the tests have none of."""

from __future__ import annotations

from tests.tiny.zoo.case import Case

from .cascades import CASCADES
from .images import IMAGES
from .modular_images import MODULAR_IMAGES
from .modular_video import MODULAR_VIDEO
from .other_unets import OTHER_UNETS
from .pixels import PIXELS
from .sound import SOUND
from .sound_unets import SOUND_UNETS
from .tokens import TOKENS
from .video import CONFIGS, VIDEO

TABLES = (VIDEO, IMAGES, MODULAR_IMAGES, MODULAR_VIDEO, PIXELS, OTHER_UNETS, CASCADES, TOKENS, SOUND_UNETS, SOUND)
TEMPLATES: tuple[Case, ...] = tuple(case for table in TABLES for case in table)

__all__ = ["CONFIGS", "TEMPLATES"]
