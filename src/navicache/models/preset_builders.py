"""Published settings, shared by the model families.

Sources: "paper" is NaviCache, ICML 2026, arXiv:2606.26795, paragraph "Implementation Detail"; commits are those of
the official scripts.
"""

from collections.abc import Mapping

from navicache.models.model_spec import KnobValue, Preset

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
    """The three modes of the paper: thresholds differ, all else is Q = R = 0.05, P = 1."""
    taus = {"fast": fast, "mid": mid, "slow": slow}
    return {
        mode: Preset({"threshold": tau, "align_steps": align_steps, **extra_knobs}, source, inferred)
        for mode, tau in taus.items()
    }


MIN_TOTAL_STEPS = 13  # steps: a model distilled to fewer has none to spare, unless a target is asked for


def build_inertial_presets(fast: float, mid: float, slow: float, source: str) -> dict[str, Preset]:
    """The paper's speed-ups of a model, as targets for our own policy, which nobody else has published about."""
    targets = {"fast": fast, "mid": mid, "slow": slow}
    return {
        mode: Preset({"speedup": s, "shortest": MIN_TOTAL_STEPS}, source, inferred=True) for mode, s in targets.items()
    }


def build_ema_presets(navicache_presets: PresetsByMode) -> dict[str, Preset]:
    """Plain smoothing at NaviCache's own thresholds, which is the fair comparison; it has no epsilons."""
    return {
        mode: Preset(
            {knob: value for knob, value in p.knobs.items() if knob in ("threshold", "align_steps", "site")},
            f"as NaviCache ({p.source})",
            inferred=True,
        )
        for mode, p in navicache_presets.items()
    }


def build_fallback_presets() -> dict[str, PresetsByMode]:
    """For a model nobody has published a setting for: guesses, marked as such."""
    navi = build_navicache_presets(0.07, 0.05, 0.04, 10, "the paper's Wan 2.1 values", inferred=True)
    targets = build_inertial_presets(2.23, 2.01, 1.86, "targets of Wan 2.1-1.3B")
    return {"navicache": navi, "inertial": targets, "ema": build_ema_presets(navi)}


def build_fixed_presets(interval: float, probability: float, source: str) -> dict[str, PresetsByMode]:
    """The static and random rows of the paper's Table 1, as far as its latencies tell."""
    return {
        "static": {"mid": Preset({"interval": interval}, source, inferred=True)},
        "random": {"mid": Preset({"probability": probability}, source, inferred=True)},
    }
