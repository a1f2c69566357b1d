"""What single classes need beyond their templates."""

from __future__ import annotations

from benchmarks.survey.generic import Recipe

from .control import CONTROL
from .images import IMAGES
from .modular import MODULAR
from .video import VIDEO

RECIPES: dict[str, Recipe] = {**CONTROL, **IMAGES, **VIDEO, **MODULAR}

__all__ = ["RECIPES"]
