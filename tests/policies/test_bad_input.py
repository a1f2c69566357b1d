"""Refused settings; each message says what to write instead."""

import math
import re

import pytest

from navicache.estimator import Schedule
from navicache.policies import (
    PAB,
    DBCache,
    EasyCache,
    Ema,
    FirstBlockCache,
    Inertial,
    MagCache,
    NaviCache,
    Random,
    SeaCache,
    Static,
    TaylorSeer,
    TeaCache,
    build_policy,
    find_policy,
)
from navicache.policies.navicache import WORDS


def refused(kind, knobs, *words):
    with pytest.raises(ValueError) as caught:
        kind(**knobs)
    for word in words:
        assert re.search(word, str(caught.value)), f"{word!r} is not in {caught.value}"


@pytest.mark.parametrize("kind", [NaviCache, EasyCache, Ema])
@pytest.mark.parametrize("threshold", [-0.01, -math.inf, math.nan])
def test_threshold(kind, threshold):
    refused(kind, {"threshold": threshold}, "threshold must be zero or more", "0.05 is typical", f"got {threshold}")


@pytest.mark.parametrize("kind", [NaviCache, EasyCache, Ema])
@pytest.mark.parametrize("align_steps", [-1, 0, 1])
def test_align_steps_of_a_ratio(kind, align_steps):
    refused(kind, {"align_steps": align_steps}, "align_steps must be 2 or more", f"got {align_steps}", "two computed")
    assert kind(align_steps=2).align_steps == 2


@pytest.mark.parametrize("kind", [Static, Random])
@pytest.mark.parametrize("align_steps", [-1, 0])
def test_align_steps_of_a_schedule(kind, align_steps):
    refused(kind, {"align_steps": align_steps}, "align_steps must be 1 or more", "first step", f"{align_steps}")
    assert kind(align_steps=1).align_steps == 1


@pytest.mark.parametrize("knob", WORDS)
@pytest.mark.parametrize("word", ["", "Mean", "something"])
def test_unknown_word(knob, word):
    refused(
        NaviCache, {knob: word}, f"{knob} must be one of", *(f"'{known}'" for known in WORDS[knob]), f"got {word!r}"
    )


@pytest.mark.parametrize("knob", WORDS)
def test_known_words(knob):
    for word in WORDS[knob]:
        assert getattr(NaviCache(**{knob: word}), knob) == word


@pytest.mark.parametrize("knobs", [{"change_since": "computed"}, {"paper_text": True}])
def test_channels_are_measured_from_the_last_step_seen(knobs):
    refused(NaviCache, {"dimensions": "channel", **knobs}, 'set change_since="seen"')
    assert NaviCache(**{"dimensions": "channel", **knobs, "change_since": "seen"}).change_since == "seen"


@pytest.mark.parametrize("kind", [EasyCache, Ema])
def test_unknown_rows(kind):
    refused(kind, {"rows": "batch"}, "rows must be one of 'sample', 'call'", "got 'batch'")


@pytest.mark.parametrize(
    "knob", ["process_noise", "measurement_noise", "drift_noise", "initial_variance", "deviations"]
)
@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
def test_noises(knob, value):
    refused(NaviCache, {knob: value}, f"{knob} is {value}", "finite number that is not negative")


def test_schedules_check_themselves():
    with pytest.raises(ValueError, match="sort the points"):
        NaviCache(process_noise=Schedule(((0.5, 0.1), (0.2, 0.1))))


@pytest.mark.parametrize("alpha", [0.0, -0.5, 1.01, math.nan])
def test_alpha(alpha):
    refused(Ema, {"alpha": alpha}, r"alpha must be", "1 is EasyCache", f"got {alpha}")


@pytest.mark.parametrize("interval", [0, 0.99, -2, math.nan])
def test_interval(interval):
    refused(
        Static, {"interval": interval}, "interval must be a number from 1", "1 computes every step", f"got {interval}"
    )


@pytest.mark.parametrize("probability", [-0.01, 1.01, math.nan])
def test_probability(probability):
    refused(Random, {"probability": probability}, "probability", r"must be a number from 0 to 1", f"got {probability}")


def test_unknown_policy():
    for ask in (find_policy, build_policy):
        with pytest.raises(ValueError, match=r"unknown policy 'navicash'; known: navicache, inertial, easycache, ema"):
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


MAG = {"ratios": (1.0, 0.9, 1.1, 1.0)}


@pytest.mark.parametrize("kind", [TeaCache, MagCache, FirstBlockCache, DBCache, SeaCache])
@pytest.mark.parametrize("threshold", [-0.01, math.nan, "0.1"])
def test_threshold_of_a_rival(kind, threshold):
    refused(kind, {"threshold": threshold}, "threshold must be zero or more", f"got {re.escape(repr(threshold))}")


@pytest.mark.parametrize("kind", [TeaCache, MagCache, PAB, FirstBlockCache, DBCache, TaylorSeer, SeaCache])
@pytest.mark.parametrize("align_steps", [0, -1, 1.5])
def test_align_steps_of_a_rival(kind, align_steps):
    refused(kind, {"align_steps": align_steps}, "align_steps must be", f"got {align_steps}")


@pytest.mark.parametrize("coefficients", [(1.0,) * 4, (1.0,) * 6, (1.0, 2.0, 3.0, 4.0, math.nan), [1.0] * 5, None])
def test_coefficients(coefficients):
    refused(TeaCache, {"coefficients": coefficients}, "tuple of five numbers", r"\(0, 0, 0, 1, 0\)", "got")


@pytest.mark.parametrize(
    ("kind", "knobs", "words"),
    [
        (TeaCache, {"signal": "input"}, ["signal must be one of 'modulated', 'time', 'time_projection'", "'input'"]),
        (MagCache, {"ratios": [1.0, 0.9]}, ["ratios must be a tuple of numbers", "the first is 1"]),
        (MagCache, {"ratios": (1.0, "0.9")}, ["ratios must be a tuple of numbers"]),
        (MagCache, {"ratios": (1.0,) * 5, "interleaved": True}, ["come in pairs", "got 5"]),
        (MagCache, {**MAG, "comparison": "=<"}, ["comparison must be one of '<', '<='"]),
        (MagCache, {**MAG, "rounding": "round"}, ["rounding must be one of 'down', 'nearest', 'up'"]),
        (MagCache, {**MAG, "retention": 20}, ["retention must be a number from 0 to 1", "first fifth"]),
        (MagCache, {**MAG, "longest_reuse": -1}, ["longest_reuse must be a whole number of 0 or more"]),
        (MagCache, {**MAG, "longest_reuse": None}, ["longest_reuse must be a whole number"]),
        (MagCache, {**MAG, "switch": 26}, ["switch must be a number from 0 to 1", "0.638 for Wan 2.2"]),
        (MagCache, {**MAG, "largest_change": -1}, ["largest_change must be a number", "0.06 in FramePack"]),
        (MagCache, {**MAG, "reused_before": -1}, ["reused_before must be a whole number of 0 or more"]),
        (PAB, {"self_attention": 0}, ["self_attention must be a whole number of 1 or more", "got 0"]),
        (PAB, {"cross_window": (800, 100)}, [r"cross_window must be \(low, high\) timesteps such as \(100, 800\)"]),
        (PAB, {"self_attention": None}, ["nothing would be reused: give self_attention=2"]),
        (PAB, {"mlp_keys": ("a",)}, ["mlp_keys must be a tuple of numbers", r"\(864, 788, 676\)"]),
        (PAB, {"mlp_reuses": -1}, ["mlp_reuses must be a whole number of 0 or more"]),
        (DBCache, {"first": 0}, ["first must be a whole number of 1 or more"]),
        (DBCache, {"last": -1}, ["last must be a whole number of 0 or more"]),
        (DBCache, {"order": 0.5}, ["order must be a whole number"]),
        (DBCache, {"most_reused": -1}, ["most_reused must be a whole number of 0 or more, or None for no limit"]),
        (DBCache, {"most_accumulated": -0.5}, ["most_accumulated must be a number", "leave it out for no limit"]),
        (TaylorSeer, {"interval": 0}, ["interval must be a whole number of 1 or more"]),
        (TaylorSeer, {"modules": ("attention",)}, ["modules must be one of 'self_attention', ", "got 'attention'"]),
        (TaylorSeer, {"modules": ()}, ["a tuple of one word at least"]),
        (TaylorSeer, {"modules": "mlp"}, ["modules must be a tuple"]),
        (TaylorSeer, {"stop": -1}, ["stop must be a whole number of 0 or more, or None"]),
        (SeaCache, {"end_steps": -1}, ["end_steps must be a whole number of 0 or more"]),
        (SeaCache, {"predictor": "hold"}, ["predictor must be one of 'residual', 'dead_reckoning', 'taylor'"]),
        (SeaCache, {"exponent": math.nan}, ["exponent must be a number", "3 for video"]),
        (NaviCache, {"site": "block"}, ["site must be one of 'model', 'blocks'", "got 'block'"]),
        (EasyCache, {"site": "modules"}, ["site must be one of 'model', 'blocks'"]),
        (Inertial, {"site": ""}, ["site must be one of 'model', 'blocks'"]),
    ],
)
def test_knob_of_a_rival(kind, knobs, words):
    refused(kind, knobs, *words)
