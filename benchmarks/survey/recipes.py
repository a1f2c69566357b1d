"""What single classes need beyond their templates."""

from __future__ import annotations

from benchmarks.survey.generic import Recipe

RECIPES: dict[str, Recipe] = {}
