"""HunyuanVideo."""

from navicache.models.published_presets import load_published_presets
from navicache.models.preset_builders import (
    build_ema_presets,
    build_fixed_presets,
    build_inertial_presets,
    build_navicache_presets,
)
from navicache.models.model_spec import ModelSpec, Preset

_NAVICACHE_PRESETS = build_navicache_presets(0.04, 0.035, 0.025, 5, "paper; official HunyuanVideo script, c055e639")

MODELS = (
    ModelSpec(
        "HunyuanVideo",
        "HunyuanVideoTransformer3DModel",
        presets={
            "navicache": _NAVICACHE_PRESETS,
            "inertial": build_inertial_presets(2.55, 2.17, 2.05, "speed-ups of the paper's Table 1, as targets"),
            "ema": build_ema_presets(_NAVICACHE_PRESETS),
            "easycache": {
                "mid": Preset(
                    {"threshold": 0.025, "align_steps": 5}, "EasyCache4HunyuanVideo/easycache_sample_video.py"
                )
            },
            "teacache": load_published_presets("teacache", "HunyuanVideo"),
            "magcache": load_published_presets(
                "magcache", "HunyuanVideo-544p"
            ),  # the size of the paper's table; 720p has its own
            **build_fixed_presets(
                1.8, 0.5, "paper, Table 1: latencies imply 28 (static) and 25 (random) computed steps of 50"
            ),
        },
    ),
)
