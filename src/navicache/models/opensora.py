"""Open-Sora 1.2."""

from navicache.models.published import published
from navicache.models.settings import ema_modes, fixed, inertial_modes, navicache_modes
from navicache.models.spec import ModelSpec, Preset

_NAVI = navicache_modes(
    0.55, 0.35, 0.15, 5, "paper; official Open-Sora script, 19229a58", site="blocks", output_epsilon=1e-8
)

MODELS = (
    ModelSpec(
        "Open-Sora 1.2",
        "STDiT3Transformer",
        presets={
            "navicache": _NAVI,
            "inertial": inertial_modes(1.78, 1.60, 1.38, "speed-ups of the paper's Table 1, as targets"),
            "ema": ema_modes(_NAVI),
            "easycache": {
                "mid": Preset(
                    {"threshold": 0.35, "align_steps": 5, "site": "blocks"},
                    "as NaviCache mid, whose latency in the paper's Table 1 is nearest; nothing is published",
                    inferred=True,
                )
            },
            "teacache": published("teacache", "Open-Sora-1.2"),
            "magcache": published("magcache", "Open-Sora-1.2"),
            "pab": published("pab", "Open-Sora-1.2"),
            **fixed(2.0, 0.5, "paper, Table 1: latencies imply 15 computed steps of 30"),
        },
    ),
)
