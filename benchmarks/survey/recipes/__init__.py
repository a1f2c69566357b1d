"""What single classes need beyond their templates."""

from __future__ import annotations

from benchmarks.survey.generic import Recipe

from .control import CONTROL
from .images import IMAGES
from .modular import MODULAR
from .newest import NEWEST
from .older import OLDER
from .pixels import PIXELS
from .unets import UNETS
from .video import VIDEO

RECIPES: dict[str, Recipe] = {**CONTROL, **IMAGES, **MODULAR, **NEWEST, **OLDER, **PIXELS, **UNETS, **VIDEO}

__all__ = ["RECIPES"]
