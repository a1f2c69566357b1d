"""What single classes of video need beyond their templates."""

from __future__ import annotations

from benchmarks.survey.generic import Recipe

VIDEO: dict[str, Recipe] = {
    "HeliosPipeline": Recipe(without=("image", "video")),
    "HeliosPyramidPipeline": Recipe(without=("image", "video")),
    "AnyFlowFARPipeline": Recipe(without=("image", "video")),
}
