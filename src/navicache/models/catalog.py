"""Every model by what its pipeline is made of; the first match counts, so the special come before the general."""

from collections.abc import Mapping
from typing import Any

from navicache.models import cogvideox, hunyuan, opensora, other_models, wan
from navicache.models.host_models import HOST_MODELS
from navicache.models.preset_builders import build_fallback_presets
from navicache.models.model_spec import ModelSpec

UNKNOWN_MODEL = ModelSpec(
    "unknown model",
    "",
    presets=build_fallback_presets(),
    note="no setting is published for this model; the Wan 2.1 values are used (threshold 0.05, 10 steps to align)",
)

MODELS: tuple[ModelSpec, ...] = (
    *wan.MODELS,
    *hunyuan.MODELS,
    *opensora.MODELS,
    *cogvideox.MODELS,
    *other_models.MODELS,
    UNKNOWN_MODEL,
)


def find_model(transformer: str, config: Mapping[str, Any] | None = None, experts: int = 1) -> ModelSpec:
    """The first model whose class, configuration and number of experts agree, whichever program the class is of.

    Example:
        >>> find_model("WanTransformer3DModel", {"in_channels": 16, "num_layers": 30}).name
        'Wan 2.1 T2V-1.3B'
        >>> find_model("SomethingElse").name
        'unknown model'
        >>> find_model("WanModel", {"in_dim": 16, "num_layers": 30}).name
        'Wan 2.1 T2V-1.3B'
    """
    host = HOST_MODELS.get(transformer)
    if host is not None:
        return host.adapt_spec(find_model(host.diffusers_class, host.translate_config(config or {}), experts))
    return next(spec for spec in MODELS if spec.matches(transformer, config or {}, experts))


def find_model_by_name(name: str) -> ModelSpec:
    """The model of that name."""
    for spec in MODELS:
        if spec.name == name:
            return spec
    raise ValueError(f"unknown model {name!r}; known: {', '.join(repr(spec.name) for spec in MODELS)}")
