"""Policies by name: what is found, and what is said where nothing is."""

import pytest

from navicache.policies import POLICIES, build_policy, collect_knob_values, find_policy


@pytest.mark.parametrize("name", POLICIES)
def test_is_what_the_catalog_says(name):
    policy = build_policy(name)
    assert type(policy) is find_policy(name)
    assert policy.name == name
    assert policy == build_policy(name)
    assert collect_knob_values(policy).get("align_steps") == policy.align_steps


def test_unknown_policy():
    for ask in (find_policy, build_policy):
        with pytest.raises(
            ValueError, match=r"unknown policy 'navicash'; known: navicache, inertial, schedule, easycache, ema"
        ):
            ask("navicash")


@pytest.mark.parametrize(
    ("name", "knob", "meant"),
    [
        ("navicache", "treshold", "threshold"),
        ("navicache", "aline_steps", "align_steps"),
        ("navicache", "process_nois", "process_noise"),
        ("easycache", "longest_reuses", "longest_reuse"),
        ("ema", "alfa", "alpha"),
        ("static", "intervall", "interval"),
        ("random", "probabilty", "probability"),
        ("teacache", "coefficient", "coefficients"),
        ("magcache", "ratio", "ratios"),
        ("taylorseer", "intervals", "interval"),
        ("hicache", "scales", "scale"),
        ("spectrum", "windows", "window"),
        ("l2p", "weight", "weights"),
        ("meancache", "budgets", "budget"),
        ("dbcache", "tresholds", "threshold"),
    ],
)
def test_misspelt_knob(name, knob, meant):
    message = f"policy '{name}' has no knob '{knob}'; did you mean '{meant}'. knobs: .*{meant}"
    with pytest.raises(ValueError, match=message):
        build_policy(name, **{knob: 1})


def test_unknown_knob_far_from_any():
    with pytest.raises(
        ValueError, match=r"policy 'static' has no knob 'zzz'; knobs: interval, align_steps, last_step$"
    ):
        build_policy("static", zzz=1)
    with pytest.raises(ValueError, match="has no knob 'alpha'"):
        build_policy("easycache", alpha=0.5)
