"""What single classes need beyond their templates."""

from __future__ import annotations

from benchmarks.survey.generic import Recipe

from .cascades import CASCADES
from .control import CONTROL
from .images import IMAGES
from .modular import MODULAR
from .other_unets import OTHER_UNETS
from .pixels import PIXELS
from .sound import SOUND
from .tokens import TOKENS
from .unets import UNETS
from .video import VIDEO

TABLES = (CASCADES, CONTROL, IMAGES, MODULAR, OTHER_UNETS, PIXELS, SOUND, TOKENS, UNETS, VIDEO)
RECIPES: dict[str, Recipe] = {name: recipe for table in TABLES for name, recipe in table.items()}

__all__ = ["RECIPES", "TABLES"]
