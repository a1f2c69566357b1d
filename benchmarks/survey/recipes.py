"""What single classes need beyond their templates."""

from __future__ import annotations

from benchmarks.survey.generic import Recipe

RECIPES: dict[str, Recipe] = {
    "HeliosPipeline": Recipe(without=("image", "video")),
    "HeliosPyramidPipeline": Recipe(without=("image", "video")),
    "AnyFlowFARPipeline": Recipe(without=("image", "video")),
    "QwenImage21Pipeline": Recipe(without=("image",)),
}
