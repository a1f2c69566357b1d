"""The ways a toy can be cached: as a plain module, as a diffusers model, or inside a pipeline with a scheduler."""

from __future__ import annotations

from typing import Any

from diffusers import FlowMatchEulerDiscreteScheduler
from tests.integrations.toys import KNOBS, Toy, ToyModel, ToyPipeline

import navicache

KINDS = [  # and what the loop tells by a cache context
    ("module", "none"),
    ("model", "none"),
    ("model", "name"),
    ("model", "index"),
    ("pipeline", "none"),
    ("pipeline", "name"),
    ("pipeline", "index"),
]


def set_up(kind: str, **knobs: Any) -> tuple[Any, navicache.Cache, FlowMatchEulerDiscreteScheduler | None]:
    if kind == "module":
        toy = Toy()
        return toy, navicache.enable(toy, **{**KNOBS, **knobs}), None
    model = ToyModel()
    if kind == "model":
        return model, navicache.enable(model, **{**KNOBS, **knobs}), None
    pipe = ToyPipeline(model, FlowMatchEulerDiscreteScheduler())
    return model, navicache.enable(pipe, **{**KNOBS, **knobs}), pipe.scheduler
