"""Settings the rivals have published for the models of the catalog, written down here once more."""

from typing import Any

Modes = dict[str, dict[str, Any]]


def tea(signal: str, highest: float, constant: float, **thresholds: float) -> Modes:
    """TeaCache, README and scripts: the signal, two of the five coefficients, and the thresholds."""
    return {mode: {"threshold": tau, "signal": signal, "ends": (highest, constant)} for mode, tau in thresholds.items()}


def mag(interleaved: bool, comparison: str, **settings: tuple[float, int, float]) -> Modes:
    """MagCache: threshold, K and retention, ExxxKyRzz in its own spelling."""
    shared = {"interleaved": interleaved, "comparison": comparison}
    names = ("threshold", "longest_reuse", "retention")
    return {mode: {**shared, **dict(zip(names, values, strict=True))} for mode, values in settings.items()}


TEACACHE = {
    "Wan 2.1 T2V-1.3B": tea("time", 2396.76752, 0.137887774, slow=0.05, mid=0.07, fast=0.08),
    "Wan 2.1 T2V-14B": tea("time", -5784.54975374, -13.02252404, slow=0.14, mid=0.15, fast=0.2),
    "Wan 2.1 I2V-14B": tea("time", -302.33167, -0.201973289, slow=0.13, mid=0.19, fast=0.26),  # 480P
    "HunyuanVideo": tea("modulated", 733.226126, 0.0961237896, slow=0.1, mid=0.15),
    "Open-Sora 1.2": tea("modulated", 217.546007, 0.048442624, slow=0.1, fast=0.2),
    "CogVideoX-2b": tea("time", -31.0658903, -0.00361568434, slow=0.1, fast=0.2),
    "CogVideoX-5b": tea("time", -1538.80483, -0.0523162339, slow=0.1, fast=0.2),
    "CogVideoX1.5-5B": tea("time", 250.210439, 0.0358559703, slow=0.1, mid=0.2, fast=0.3),
    "CogVideoX1.5-5B-I2V": tea("time", 122.842302, 0.037121322, slow=0.1, mid=0.2, fast=0.3),
    "FLUX.1": tea("modulated", 498.651651, 0.264230861, slow=0.25, mid=0.6, fast=0.8),
    "LTX-Video": tea("modulated", 21.4700694, 0.00969274326, slow=0.03, mid=0.05),
    "Mochi 1": tea("modulated", -3512.41319, 0.00305291719, slow=0.06, mid=0.09),
}
MAGCACHE = {
    "Wan 2.1 T2V-1.3B": mag(True, "<", mid=(0.12, 2, 0.2), fast=(0.12, 4, 0.2)),
    "Wan 2.1 T2V-14B": mag(True, "<", mid=(0.24, 6, 0.2)),
    "Wan 2.1 I2V-14B": mag(True, "<", slow=(0.12, 4, 0.2), mid=(0.24, 6, 0.2)),
    "Wan 2.2 T2V-A14B": mag(True, "<", mid=(0.06, 2, 0.4)),
    "Wan 2.2 I2V-A14B": mag(True, "<", mid=(0.06, 2, 0.1)),
    "Wan 2.2 TI2V-5B": mag(True, "<", mid=(0.06, 2, 0.2)),
    "HunyuanVideo": mag(False, "<=", slow=(0.12, 4, 0.2), mid=(0.24, 6, 0.2)),
    "Open-Sora 1.2": mag(False, "<=", mid=(0.12, 3, 0.2), fast=(0.24, 5, 0.2)),
    "FLUX.1": mag(False, "<=", mid=(0.24, 5, 0.1)),
}
OPEN_SORA = {
    "self_window": (450, 930),
    "temporal_window": (450, 930),
    "cross_window": (450, 930),
    "mlp_keys": (864, 788, 676),
    "mlp_reuses": 2,
    "mlp_blocks": (0, 1, 2, 3, 4),
}
COGVIDEOX = {"self_attention": 2, "self_window": (100, 850), "temporal_attention": None, "cross_attention": None}
PAB: dict[str, Modes] = {
    "Open-Sora 1.2": {
        "mid": {"self_attention": 2, "temporal_attention": 4, "cross_attention": 6, **OPEN_SORA},
        "fast": {"self_attention": 5, "temporal_attention": 7, "cross_attention": 9, **OPEN_SORA},
    },
    "CogVideoX-2b": {"mid": COGVIDEOX},
    "CogVideoX-5b": {"mid": COGVIDEOX},
}
RIVALS: dict[str, dict[str, Modes]] = {"teacache": TEACACHE, "magcache": MAGCACHE, "pab": PAB}
