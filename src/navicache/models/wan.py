"""Wan 2.1 and Wan 2.2."""

from navicache.models.settings import ema_modes, fixed, inertial_modes, navicache_modes
from navicache.models.spec import ModelSpec, Preset

_WAN = "WanTransformer3DModel"
_WAN21 = navicache_modes(0.07, 0.05, 0.04, 10, "paper; official Wan2.1 script, 3987f30f")
_README = {
    **navicache_modes(0.07, 0.05, 0.04, 10, "threshold of Wan 2.1-1.3B", inferred=True),
    "mid": Preset({"threshold": 0.05, "align_steps": 10}, "official README, results of this size"),
}
_EASY21 = {"mid": Preset({"threshold": 0.05, "align_steps": 10}, "EasyCache4Wan2.1/easycache_generate.py")}
_FIXED = fixed(2.5, 0.4, "paper, Table 1: latencies imply 20 to 21 computed steps of 50")

_TI2V_CODE = {"alignment": "filtered", "output_epsilon": 1e-8}
_TI2V = {
    "mid": Preset({"threshold": 0.05, "align_steps": 10, **_TI2V_CODE}, "official Wan2.2 script, c2235ff4"),
    "fast": Preset({"threshold": 0.07, "align_steps": 10, **_TI2V_CODE}, "threshold of Wan 2.1 fast", inferred=True),
    "slow": Preset({"threshold": 0.04, "align_steps": 10, **_TI2V_CODE}, "threshold of Wan 2.1 slow", inferred=True),
}
_A14B = navicache_modes(0.07, 0.05, 0.04, 10, "as Wan 2.1; no setting is published for two experts", inferred=True)

_GUESS = navicache_modes(0.07, 0.05, 0.04, 10, "as Wan 2.1; this size is not published", inferred=True)
_POCKET = navicache_modes(0.07, 0.05, 0.04, 10, "as Wan 2.1, for the embedded model", inferred=True)
_EASY_GUESS = {"mid": Preset(_EASY21["mid"].knobs, "as Wan 2.1; this size is not published", inferred=True)}

_INERTIAL = inertial_modes(2.23, 2.01, 1.86, "speed-ups of the paper's Table 1, as targets")
_TARGETS = inertial_modes(2.23, 2.01, 1.86, "targets of Wan 2.1-1.3B")

_WAN21_PRESETS = {"navicache": _WAN21, "inertial": _INERTIAL, "ema": ema_modes(_WAN21), "easycache": _EASY21, **_FIXED}
_WAN21_README_PRESETS = {
    "navicache": _README,
    "inertial": _TARGETS,
    "ema": ema_modes(_README),
    "easycache": _EASY21,
    **_FIXED,
}

MODELS = (
    ModelSpec(
        "Wan 2.2 A14B",
        _WAN,
        experts=2,
        presets={
            "navicache": _A14B,
            "inertial": _TARGETS,
            "ema": ema_modes(_A14B),
            "easycache": {
                "mid": Preset({"threshold": 0.06, "align_steps": 7}, "EasyCache4Wan2.2/easycache_generate.py, 3149a412")
            },
            **_FIXED,
        },
        note="no NaviCache setting is published for two experts; the Wan 2.1 values are used",
    ),
    ModelSpec(
        "Wan 2.2 TI2V-5B",
        _WAN,
        {"in_channels": 48, "num_layers": 30},
        presets={
            "navicache": _TI2V,
            "inertial": _TARGETS,
            "ema": ema_modes(_WAN21),
            "easycache": {
                "mid": Preset(
                    {"threshold": 0.05, "align_steps": 7, "last_step": False},
                    "EasyCache4Wan2.2/easycache_generate.py, 3149a412",
                )
            },
            **_FIXED,
        },
    ),
    ModelSpec("Wan 2.1 I2V-14B", _WAN, {"in_channels": 36, "num_layers": 40}, presets=_WAN21_README_PRESETS),
    ModelSpec("Wan 2.1 T2V-14B", _WAN, {"in_channels": 16, "num_layers": 40}, presets=_WAN21_README_PRESETS),
    ModelSpec("Wan 2.1 T2V-1.3B", _WAN, {"in_channels": 16, "num_layers": 30}, presets=_WAN21_PRESETS),
    ModelSpec(
        "pocket",
        _WAN,
        {"in_channels": 16, "num_layers": 8, "text_dim": 256},
        presets={"navicache": _POCKET, "inertial": _TARGETS, "ema": ema_modes(_POCKET), **_FIXED},
        note="the embedded model; the Wan 2.1 values are used",
    ),
    ModelSpec(
        "Wan of an unlisted size",
        _WAN,
        presets={
            "navicache": _GUESS,
            "inertial": _TARGETS,
            "ema": ema_modes(_GUESS),
            "easycache": _EASY_GUESS,
            **_FIXED,
        },
        note="a Wan transformer of an unlisted size; the Wan 2.1 values are used",
    ),
)
