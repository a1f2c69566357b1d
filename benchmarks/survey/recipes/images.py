"""What single classes of images need beyond their templates."""

from __future__ import annotations

from benchmarks.survey.generic import Recipe

IMAGES: dict[str, Recipe] = {
    "QwenImage21Pipeline": Recipe(without=("image",)),
}
