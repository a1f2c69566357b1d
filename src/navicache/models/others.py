"""Models that other methods have published settings for, and NaviCache has not."""

from navicache.models.published import published
from navicache.models.settings import wan21_values
from navicache.models.spec import ModelSpec, Preset


def _other(name: str, transformer: str, rivals: dict[str, dict[str, Preset]]) -> ModelSpec:
    note = f"no setting is published for {name}; the Wan 2.1 values are used"
    return ModelSpec(name, transformer, presets={**wan21_values(), **rivals}, note=note)


MODELS = (
    _other(
        "FLUX.1",
        "FluxTransformer2DModel",
        {
            "teacache": dict(published("teacache", "FLUX.1-dev")),
            "magcache": dict(published("magcache", "FLUX.1-dev")),
        },
    ),
    _other("LTX-Video", "LTXVideoTransformer3DModel", {"teacache": dict(published("teacache", "LTX-Video-0.9.1"))}),
    _other("Mochi 1", "MochiTransformer3DModel", {"teacache": dict(published("teacache", "Mochi-1-preview"))}),
)
