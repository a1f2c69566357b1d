"""Every model by what its pipeline is made of; the first match counts, so the special come before the general."""

from collections.abc import Mapping
from typing import Any

from navicache.models import hunyuan, wan
from navicache.models.call import CallSpec
from navicache.models.settings import ema_modes, inertial_modes, navicache_modes
from navicache.models.spec import ModelSpec

_DEFAULT = navicache_modes(0.07, 0.05, 0.04, 10, "the paper's Wan 2.1 values", inferred=True)
_TARGETS = inertial_modes(2.23, 2.01, 1.86, "targets of Wan 2.1-1.3B")

COGVIDEOX = ModelSpec(
    "CogVideoX",
    "CogVideoXTransformer3DModel",
    call=CallSpec(channel_dim=2),
    presets={"navicache": _DEFAULT, "inertial": _TARGETS, "ema": ema_modes(_DEFAULT)},
    note="no setting is published for CogVideoX; the Wan 2.1 values are used",
)

UNKNOWN = ModelSpec(
    "unknown model",
    "",
    presets={"navicache": _DEFAULT, "inertial": _TARGETS, "ema": ema_modes(_DEFAULT)},
    note="no setting is published for this model; the Wan 2.1 values are used (threshold 0.05, 10 steps to align)",
)

MODELS: tuple[ModelSpec, ...] = (*wan.MODELS, *hunyuan.MODELS, COGVIDEOX, UNKNOWN)


def find_model(transformer: str, config: Mapping[str, Any] | None = None, experts: int = 1) -> ModelSpec:
    """The first model whose class, configuration and number of experts agree.

    Example:
        >>> find_model("WanTransformer3DModel", {"in_channels": 16, "num_layers": 30}).name
        'Wan 2.1 T2V-1.3B'
        >>> find_model("SomethingElse").name
        'unknown model'
    """
    return next(spec for spec in MODELS if spec.matches(transformer, config or {}, experts))


def model_named(name: str) -> ModelSpec:
    """The model of that name."""
    for spec in MODELS:
        if spec.name == name:
            return spec
    raise ValueError(f"unknown model {name!r}; known: {', '.join(repr(spec.name) for spec in MODELS)}")
