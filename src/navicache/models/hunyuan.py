"""HunyuanVideo."""

from navicache.models.published import published
from navicache.models.settings import ema_modes, fixed, inertial_modes, navicache_modes
from navicache.models.spec import ModelSpec, Preset

_NAVI = navicache_modes(0.04, 0.035, 0.025, 5, "paper; official HunyuanVideo script, c055e639")

MODELS = (
    ModelSpec(
        "HunyuanVideo",
        "HunyuanVideoTransformer3DModel",
        presets={
            "navicache": _NAVI,
            "inertial": inertial_modes(2.55, 2.17, 2.05, "speed-ups of the paper's Table 1, as targets"),
            "ema": ema_modes(_NAVI),
            "easycache": {
                "mid": Preset(
                    {"threshold": 0.025, "align_steps": 5}, "EasyCache4HunyuanVideo/easycache_sample_video.py"
                )
            },
            "teacache": published("teacache", "HunyuanVideo"),
            "magcache": published("magcache", "HunyuanVideo-544p"),  # the size of the paper's table; 720p has its own
            **fixed(1.8, 0.5, "paper, Table 1: latencies imply 28 (static) and 25 (random) computed steps of 50"),
        },
    ),
)
