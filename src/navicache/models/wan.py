"""Wan 2.1 and Wan 2.2."""

from collections.abc import Mapping

from navicache.models.published import published
from navicache.models.settings import Modes, ema_modes, fixed, inertial_modes, navicache_modes
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


def _rivals(name: str) -> dict[str, Mapping[str, Preset]]:
    return {"teacache": published("teacache", name), "magcache": published("magcache", name)}


def _wan21(name: str, navicache: Modes, inertial: Modes) -> dict[str, Mapping[str, Preset]]:
    own = {"navicache": navicache, "inertial": inertial, "ema": ema_modes(navicache), "easycache": _EASY21}
    return {**own, **_rivals(name), **_FIXED}


def _two_experts(name: str, config: dict[str, object], magcache: str) -> ModelSpec:
    easy = Preset({"threshold": 0.06, "align_steps": 7}, "EasyCache4Wan2.2/easycache_generate.py, 3149a412")
    return ModelSpec(
        name,
        _WAN,
        config,
        experts=2,
        presets={
            "navicache": _A14B,
            "inertial": _TARGETS,
            "ema": ema_modes(_A14B),
            "easycache": {"mid": easy},
            "magcache": published("magcache", magcache),
            **_FIXED,
        },
        note="no NaviCache setting is published for two experts; the Wan 2.1 values are used",
    )


MODELS = (
    _two_experts("Wan 2.2 I2V-A14B", {"in_channels": 36}, "Wan2.2-I2V-A14B"),
    _two_experts("Wan 2.2 T2V-A14B", {}, "Wan2.2-T2V-A14B"),
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
            "magcache": published("magcache", "Wan2.2-TI2V-5B (text to video (no image))"),
            **_FIXED,
        },
    ),
    # The configuration does not tell 480P from 720P: `published` has the other's numbers.
    ModelSpec(
        "Wan 2.1 I2V-14B",
        _WAN,
        {"in_channels": 36, "num_layers": 40},
        presets=_wan21("Wan2.1-I2V-14B-480P", _README, _TARGETS),
    ),
    ModelSpec(
        "Wan 2.1 T2V-14B",
        _WAN,
        {"in_channels": 16, "num_layers": 40},
        presets=_wan21("Wan2.1-T2V-14B", _README, _TARGETS),
    ),
    ModelSpec(
        "Wan 2.1 T2V-1.3B",
        _WAN,
        {"in_channels": 16, "num_layers": 30},
        presets=_wan21("Wan2.1-T2V-1.3B", _WAN21, _INERTIAL),
    ),
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
