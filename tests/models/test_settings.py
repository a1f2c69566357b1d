"""Presets that several families share."""

from navicache.models.preset_builders import (
    MIN_TOTAL_STEPS,
    build_ema_presets,
    build_fixed_presets,
    build_inertial_presets,
    build_navicache_presets,
    build_fallback_presets,
)


def test_thresholds_differ_by_mode_and_all_else_is_the_same():
    modes = build_navicache_presets(0.3, 0.2, 0.1, 7, "somewhere", rows="sample")
    assert {mode: preset.knobs["threshold"] for mode, preset in modes.items()} == {"fast": 0.3, "mid": 0.2, "slow": 0.1}
    assert all(preset.knobs["align_steps"] == 7 and preset.knobs["rows"] == "sample" for preset in modes.values())
    assert {(preset.source, preset.inferred) for preset in modes.values()} == {("somewhere", False)}


def test_speed_ups_as_targets_are_ours_and_leave_short_runs_alone():
    modes = build_inertial_presets(3.0, 2.0, 1.5, "a table")
    assert {mode: preset.knobs["speedup"] for mode, preset in modes.items()} == {"fast": 3.0, "mid": 2.0, "slow": 1.5}
    assert all(preset.inferred and preset.knobs["shortest"] == MIN_TOTAL_STEPS for preset in modes.values())


def test_plain_smoothing_takes_the_thresholds_and_nothing_it_does_not_have():
    modes = build_ema_presets(build_navicache_presets(0.3, 0.2, 0.1, 7, "somewhere", epsilon=1e-6, site="model"))
    assert dict(modes["fast"].knobs) == {"threshold": 0.3, "align_steps": 7, "site": "model"}
    assert modes["mid"].source == "as NaviCache (somewhere)" and modes["mid"].inferred


def test_what_nobody_published_is_marked_as_a_guess():
    presets = [preset for modes in build_fallback_presets().values() for preset in modes.values()]
    presets += [preset for modes in build_fixed_presets(2.0, 0.5, "latencies").values() for preset in modes.values()]
    assert len(presets) == 11 and all(preset.inferred for preset in presets)
