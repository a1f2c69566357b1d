"""Open-Sora 1.2."""

from navicache.models.model_spec import ModelSpec, Preset
from navicache.models.preset_builders import (
    build_fixed_presets,
    build_inertial_presets,
    build_navicache_presets,
    build_presets,
)

_PRESETS = build_presets(
    build_navicache_presets(
        0.55, 0.35, 0.15, 5, "paper; official Open-Sora script, 19229a58", site="blocks", output_epsilon=1e-8
    ),
    build_inertial_presets(1.78, 1.60, 1.38, "speed-ups of the paper's Table 1, as targets"),
    build_fixed_presets(2.0, 0.5, "paper, Table 1: latencies imply 15 computed steps of 30"),
    Preset(
        {"threshold": 0.35, "align_steps": 5, "site": "blocks"},
        "as NaviCache mid, whose latency in the paper's Table 1 is nearest; nothing is published",
        inferred=True,
    ),
    **dict.fromkeys(("teacache", "magcache", "pab"), "Open-Sora-1.2"),
)
MODELS = (ModelSpec("Open-Sora 1.2", "STDiT3Transformer", presets=_PRESETS),)
