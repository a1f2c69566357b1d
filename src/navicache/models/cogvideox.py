"""CogVideoX, told apart by the configurations its diffusers repositories publish."""

from navicache.models.call_spec import CallSpec
from navicache.models.published_presets import load_published_presets
from navicache.models.preset_builders import build_fallback_presets
from navicache.models.model_spec import ModelSpec

_TRANSFORMER_CLASS = "CogVideoXTransformer3DModel"
_NOTE = "no setting is published for CogVideoX; the Wan 2.1 values are used"
_CALL = CallSpec(channel_dim=2)
_PAB_PRESETS = {"pab": load_published_presets("pab", "CogVideoX")}  # for the two sizes there were
_CONFIG_BY_MODEL: dict[str, dict[str, object]] = {
    "CogVideoX-2b": {"num_layers": 30, "patch_size_t": None},
    "CogVideoX-5b": {"num_layers": 42, "in_channels": 16, "patch_size_t": None},
    "CogVideoX-5b-I2V": {"num_layers": 42, "in_channels": 32, "patch_size_t": None},
    "CogVideoX1.5-5B": {"num_layers": 42, "in_channels": 16, "patch_size_t": 2},
    "CogVideoX1.5-5B-I2V": {"num_layers": 42, "in_channels": 32, "patch_size_t": 2},
}

MODELS = (
    *(
        ModelSpec(
            name,
            _TRANSFORMER_CLASS,
            config,
            call=_CALL,
            presets={
                **build_fallback_presets(),
                "teacache": load_published_presets("teacache", name),
                **(_PAB_PRESETS if name in ("CogVideoX-2b", "CogVideoX-5b") else {}),
            },
            note=_NOTE,
        )
        for name, config in _CONFIG_BY_MODEL.items()
    ),
    ModelSpec(
        "CogVideoX of an unlisted size", _TRANSFORMER_CLASS, call=_CALL, presets=build_fallback_presets(), note=_NOTE
    ),
)
