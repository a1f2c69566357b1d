"""What single classes that denoise tokens need beyond their templates."""

from __future__ import annotations

from benchmarks.survey.generic import Recipe

WHOLE = "it denoises tokens, which are whole numbers: a policy that measures a distance has none"

TOKENS: dict[str, Recipe] = {
    "VQDiffusionPipeline": Recipe(text=True, note=WHOLE),
}
