"""Models that other methods have published settings for, and NaviCache has not."""

from navicache.models.published_presets import load_published_presets
from navicache.models.preset_builders import build_fallback_presets
from navicache.models.model_spec import ModelSpec, Preset


def _build_unpublished_spec(name: str, transformer: str, rival_presets: dict[str, dict[str, Preset]]) -> ModelSpec:
    note = f"no setting is published for {name}; the Wan 2.1 values are used"
    return ModelSpec(name, transformer, presets={**build_fallback_presets(), **rival_presets}, note=note)


MODELS = (
    _build_unpublished_spec(
        "FLUX.1",
        "FluxTransformer2DModel",
        {
            "teacache": dict(load_published_presets("teacache", "FLUX.1-dev")),
            "magcache": dict(load_published_presets("magcache", "FLUX.1-dev")),
        },
    ),
    _build_unpublished_spec(
        "LTX-Video",
        "LTXVideoTransformer3DModel",
        {"teacache": dict(load_published_presets("teacache", "LTX-Video-0.9.1"))},
    ),
    _build_unpublished_spec(
        "Mochi 1", "MochiTransformer3DModel", {"teacache": dict(load_published_presets("teacache", "Mochi-1-preview"))}
    ),
)
