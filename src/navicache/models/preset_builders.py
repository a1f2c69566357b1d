"""Builders of the presets that model families share.

Sources: "paper" is NaviCache, ICML 2026, arXiv:2606.26795, paragraph "Implementation Detail"; commits are those of
the official scripts.
"""

from collections.abc import Mapping

from navicache.models.model_spec import KnobValue, Preset
from navicache.models.published_presets import load_published_presets

PresetsByMode = Mapping[str, Preset]


def build_navicache_presets(
    fast: float,
    mid: float,
    slow: float,
    align_steps: int,
    source: str,
    inferred: bool = False,
    **extra_knobs: KnobValue,
) -> dict[str, Preset]:
    """Build the paper's three modes: thresholds differ, the rest is Q = R = 0.05, P = 1."""
    taus = {"fast": fast, "mid": mid, "slow": slow}
    return {
        mode: Preset({"threshold": tau, "align_steps": align_steps, **extra_knobs}, source, inferred)
        for mode, tau in taus.items()
    }


MIN_TOTAL_STEPS = 13  # a model distilled to fewer steps reuses one in four at most, unless the user sets a target


def build_inertial_presets(fast: float, mid: float, slow: float, source: str) -> dict[str, Preset]:
    """Use the paper's speed-ups as targets for `inertial`, which has no published settings."""
    targets = {"fast": fast, "mid": mid, "slow": slow}
    return {
        mode: Preset({"speedup": s, "shortest": MIN_TOTAL_STEPS}, source, inferred=True) for mode, s in targets.items()
    }


def build_ema_presets(navicache_presets: PresetsByMode) -> dict[str, Preset]:
    """Use NaviCache's thresholds for plain smoothing, for a fair comparison; it has no epsilons."""
    return {
        mode: Preset(
            {knob: value for knob, value in p.knobs.items() if knob in ("threshold", "align_steps", "site")},
            f"as NaviCache ({p.source})",
            inferred=True,
        )
        for mode, p in navicache_presets.items()
    }


def build_fallback_presets() -> dict[str, PresetsByMode]:
    """Build presets for models without published settings, marked as inferred."""
    navi = build_navicache_presets(0.07, 0.05, 0.04, 10, "the paper's Wan 2.1 values", inferred=True)
    targets = build_inertial_presets(2.23, 2.01, 1.86, "targets of Wan 2.1-1.3B")
    return {"navicache": navi, "inertial": targets, "ema": build_ema_presets(navi)}


def build_fixed_presets(interval: float, probability: float, source: str) -> dict[str, PresetsByMode]:
    """Build the static and random rows of the paper's Table 1, inferred from its latencies."""
    return {
        "static": {"mid": Preset({"interval": interval}, source, inferred=True)},
        "random": {"mid": Preset({"probability": probability}, source, inferred=True)},
    }


def build_presets(
    navicache: PresetsByMode,
    inertial: PresetsByMode,
    fixed: Mapping[str, PresetsByMode],
    easycache: Preset | None = None,
    **published_models: str,
) -> dict[str, PresetsByMode]:
    """Build the presets of a model that is in the paper, or of its family.

    `ema` has the thresholds of `navicache`. `published_models` are methods with their authors' names of the model.
    """
    own = {"navicache": navicache, "inertial": inertial, "ema": build_ema_presets(navicache)}
    easy = {} if easycache is None else {"easycache": {"mid": easycache}}
    published = {method: load_published_presets(method, model) for method, model in published_models.items()}
    return {**own, **easy, **published, **fixed}
