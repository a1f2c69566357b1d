"""Tiny builds for denoiser classes that the tests have none of."""

from __future__ import annotations

from tests.tiny.zoo.case import Case

from .images import IMAGES
from .modular import MODULAR
from .newest import NEWEST
from .older import OLDER
from .oldest import OLDEST
from .pixels import PIXELS
from .sound import SOUND
from .video import CONFIGS, VIDEO

TEMPLATES: tuple[Case, ...] = (*VIDEO, *IMAGES, *MODULAR, *PIXELS, *OLDER, *OLDEST, *NEWEST, *SOUND)

__all__ = ["CONFIGS", "TEMPLATES"]
