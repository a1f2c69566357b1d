"""CogVideoX, told apart by the configurations its diffusers repositories publish."""

from navicache.models.call import CallSpec
from navicache.models.published import published
from navicache.models.settings import wan21_values
from navicache.models.spec import ModelSpec

_CLASS = "CogVideoXTransformer3DModel"
_NOTE = "no setting is published for CogVideoX; the Wan 2.1 values are used"
_CALL = CallSpec(channel_dim=2)
_PAB = {"pab": published("pab", "CogVideoX")}  # for the two sizes there were
_SIZES: dict[str, dict[str, object]] = {
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
            _CLASS,
            config,
            call=_CALL,
            presets={
                **wan21_values(),
                "teacache": published("teacache", name),
                **(_PAB if name in ("CogVideoX-2b", "CogVideoX-5b") else {}),
            },
            note=_NOTE,
        )
        for name, config in _SIZES.items()
    ),
    ModelSpec("CogVideoX of an unlisted size", _CLASS, call=_CALL, presets=wan21_values(), note=_NOTE),
)
