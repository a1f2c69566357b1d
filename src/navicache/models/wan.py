"""Wan 2.1 and Wan 2.2."""

from navicache.models.model_spec import ModelSpec, Preset
from navicache.models.preset_builders import (
    PresetsByMode,
    build_ema_presets,
    build_fixed_presets,
    build_inertial_presets,
    build_navicache_presets,
    build_presets,
)

_WAN_CLASS = "WanTransformer3DModel"
_NAVICACHE_WAN21 = build_navicache_presets(0.07, 0.05, 0.04, 10, "paper; official Wan2.1 script, 3987f30f")
_NAVICACHE_README = {
    **build_navicache_presets(0.07, 0.05, 0.04, 10, "threshold of Wan 2.1-1.3B", inferred=True),
    "mid": Preset({"threshold": 0.05, "align_steps": 10}, "official README, results of this size"),
}
_EASYCACHE_WAN21 = Preset({"threshold": 0.05, "align_steps": 10}, "EasyCache4Wan2.1/easycache_generate.py")
_FIXED_PRESETS = build_fixed_presets(2.5, 0.4, "paper, Table 1: latencies imply 20 to 21 computed steps of 50")

_TI2V_KNOBS = {"alignment": "filtered", "output_epsilon": 1e-8}
_NAVICACHE_TI2V = {
    "mid": Preset({"threshold": 0.05, "align_steps": 10, **_TI2V_KNOBS}, "official Wan2.2 script, c2235ff4"),
    "fast": Preset({"threshold": 0.07, "align_steps": 10, **_TI2V_KNOBS}, "threshold of Wan 2.1 fast", inferred=True),
    "slow": Preset({"threshold": 0.04, "align_steps": 10, **_TI2V_KNOBS}, "threshold of Wan 2.1 slow", inferred=True),
}
_NAVICACHE_A14B = build_navicache_presets(
    0.07, 0.05, 0.04, 10, "as Wan 2.1; no setting is published for two experts", inferred=True
)

_NAVICACHE_UNLISTED = build_navicache_presets(
    0.07, 0.05, 0.04, 10, "as Wan 2.1; this size is not published", inferred=True
)
_NAVICACHE_POCKET = build_navicache_presets(0.07, 0.05, 0.04, 10, "as Wan 2.1, for the embedded model", inferred=True)
_EASYCACHE_UNLISTED = Preset(_EASYCACHE_WAN21.knobs, "as Wan 2.1; this size is not published", inferred=True)
_EASYCACHE_WAN22 = "EasyCache4Wan2.2/easycache_generate.py, 3149a412"
_EASYCACHE_A14B = Preset({"threshold": 0.06, "align_steps": 7}, _EASYCACHE_WAN22)
_EASYCACHE_TI2V = Preset({"threshold": 0.05, "align_steps": 7, "last_step": False}, _EASYCACHE_WAN22)

_INERTIAL_PAPER = build_inertial_presets(2.23, 2.01, 1.86, "speed-ups of the paper's Table 1, as targets")
_INERTIAL_INFERRED = build_inertial_presets(2.23, 2.01, 1.86, "targets of Wan 2.1-1.3B")


def _build_wan21_spec(
    name: str, layers: int, channels: int, published: str, own: PresetsByMode, targets: PresetsByMode
) -> ModelSpec:
    rivals = {"teacache": published, "magcache": published}
    presets = build_presets(own, targets, _FIXED_PRESETS, _EASYCACHE_WAN21, **rivals)
    return ModelSpec(name, _WAN_CLASS, {"in_channels": channels, "num_layers": layers}, presets=presets)


def _build_two_expert_spec(name: str, config: dict[str, object], magcache: str) -> ModelSpec:
    presets = build_presets(_NAVICACHE_A14B, _INERTIAL_INFERRED, _FIXED_PRESETS, _EASYCACHE_A14B, magcache=magcache)
    note = "no NaviCache setting is published for two experts; the Wan 2.1 values are used"
    return ModelSpec(name, _WAN_CLASS, config, experts=2, presets=presets, note=note)


_TI2V_PRESETS = build_presets(
    _NAVICACHE_TI2V,
    _INERTIAL_INFERRED,
    _FIXED_PRESETS,
    _EASYCACHE_TI2V,
    magcache="Wan2.2-TI2V-5B (text to video (no image))",
)
MODELS = (
    _build_two_expert_spec("Wan 2.2 I2V-A14B", {"in_channels": 36}, "Wan2.2-I2V-A14B"),
    _build_two_expert_spec("Wan 2.2 T2V-A14B", {}, "Wan2.2-T2V-A14B"),
    ModelSpec(
        "Wan 2.2 TI2V-5B",
        _WAN_CLASS,
        {"in_channels": 48, "num_layers": 30},
        presets={**_TI2V_PRESETS, "ema": build_ema_presets(_NAVICACHE_WAN21)},
    ),
    # The configuration is the same for 480P and 720P: `load_published_presets` has the numbers of 720P.
    _build_wan21_spec("Wan 2.1 I2V-14B", 40, 36, "Wan2.1-I2V-14B-480P", _NAVICACHE_README, _INERTIAL_INFERRED),
    _build_wan21_spec("Wan 2.1 T2V-14B", 40, 16, "Wan2.1-T2V-14B", _NAVICACHE_README, _INERTIAL_INFERRED),
    _build_wan21_spec("Wan 2.1 T2V-1.3B", 30, 16, "Wan2.1-T2V-1.3B", _NAVICACHE_WAN21, _INERTIAL_PAPER),
    ModelSpec(
        "pocket",
        _WAN_CLASS,
        {"in_channels": 16, "num_layers": 8, "text_dim": 256},
        presets=build_presets(_NAVICACHE_POCKET, _INERTIAL_INFERRED, _FIXED_PRESETS),
        note="the embedded model; the Wan 2.1 values are used",
    ),
    ModelSpec(
        "Wan of an unlisted size",
        _WAN_CLASS,
        presets=build_presets(_NAVICACHE_UNLISTED, _INERTIAL_INFERRED, _FIXED_PRESETS, _EASYCACHE_UNLISTED),
        note="a Wan transformer of an unlisted size; the Wan 2.1 values are used",
    ),
)
