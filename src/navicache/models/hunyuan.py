"""HunyuanVideo."""

from navicache.models.model_spec import ModelSpec, Preset
from navicache.models.preset_builders import (
    build_fixed_presets,
    build_inertial_presets,
    build_navicache_presets,
    build_presets,
)

_PRESETS = build_presets(
    build_navicache_presets(0.04, 0.035, 0.025, 5, "paper; official HunyuanVideo script, c055e639"),
    build_inertial_presets(2.55, 2.17, 2.05, "speed-ups of the paper's Table 1, as targets"),
    build_fixed_presets(1.8, 0.5, "paper, Table 1: latencies imply 28 (static) and 25 (random) computed steps of 50"),
    Preset({"threshold": 0.025, "align_steps": 5}, "EasyCache4HunyuanVideo/easycache_sample_video.py"),
    teacache="HunyuanVideo",
    magcache="HunyuanVideo-544p",  # the size of the paper's table; 720p has other values
)
MODELS = (ModelSpec("HunyuanVideo", "HunyuanVideoTransformer3DModel", presets=_PRESETS),)
