"""Models with published settings of other methods, but not of NaviCache."""

from navicache.models.model_spec import ModelSpec
from navicache.models.preset_builders import build_fallback_presets
from navicache.models.published_presets import load_published_presets


def _build_unpublished_spec(name: str, transformer: str, **published_models: str) -> ModelSpec:
    """`published_models` are methods with their authors' names of the model."""
    rivals = {method: load_published_presets(method, model) for method, model in published_models.items()}
    note = f"no setting is published for {name}; the Wan 2.1 values are used"
    return ModelSpec(name, transformer, presets={**build_fallback_presets(), **rivals}, note=note)


MODELS = (
    _build_unpublished_spec("FLUX.1", "FluxTransformer2DModel", teacache="FLUX.1-dev", magcache="FLUX.1-dev"),
    _build_unpublished_spec("LTX-Video", "LTXVideoTransformer3DModel", teacache="LTX-Video-0.9.1"),
    _build_unpublished_spec("Mochi 1", "MochiTransformer3DModel", teacache="Mochi-1-preview"),
)
