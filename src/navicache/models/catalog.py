"""Every model by what its pipeline is made of; the first match counts, so the special come before the general."""

from collections.abc import Mapping
from typing import Any

from navicache.models import cogvideox, hunyuan, opensora, others, wan
from navicache.models.hosts import HOSTS
from navicache.models.settings import wan21_values
from navicache.models.spec import ModelSpec

UNKNOWN = ModelSpec(
    "unknown model",
    "",
    presets=wan21_values(),
    note="no setting is published for this model; the Wan 2.1 values are used (threshold 0.05, 10 steps to align)",
)

MODELS: tuple[ModelSpec, ...] = (
    *wan.MODELS,
    *hunyuan.MODELS,
    *opensora.MODELS,
    *cogvideox.MODELS,
    *others.MODELS,
    UNKNOWN,
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
    host = HOSTS.get(transformer)
    if host is not None:
        return host.called(find_model(host.known_as, host.configuration(config or {}), experts))
    return next(spec for spec in MODELS if spec.matches(transformer, config or {}, experts))


def model_named(name: str) -> ModelSpec:
    """The model of that name."""
    for spec in MODELS:
        if spec.name == name:
            return spec
    raise ValueError(f"unknown model {name!r}; known: {', '.join(repr(spec.name) for spec in MODELS)}")
