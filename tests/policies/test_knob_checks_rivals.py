"""Refused settings of the rivals; each message says what to write instead."""

import math
import re

import pytest
from tests.policies.refused import refused

from navicache.policies import (
    L2P,
    PAB,
    DBCache,
    EasyCache,
    FirstBlockCache,
    HiCache,
    Inertial,
    MagCache,
    MeanCache,
    NaviCache,
    SeaCache,
    Spectrum,
    TaylorSeer,
    TeaCache,
)

MAG = {"ratios": (1.0, 0.9, 1.1, 1.0)}


@pytest.mark.parametrize("kind", [TeaCache, MagCache, FirstBlockCache, DBCache, SeaCache])
@pytest.mark.parametrize("threshold", [-0.01, math.nan, "0.1"])
def test_threshold_of_a_rival(kind, threshold):
    refused(kind, {"threshold": threshold}, "threshold must be zero or more", f"got {re.escape(repr(threshold))}")


@pytest.mark.parametrize(
    "kind", [TeaCache, MagCache, PAB, FirstBlockCache, DBCache, TaylorSeer, HiCache, Spectrum, SeaCache, L2P, MeanCache]
)
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
        (HiCache, {"interval": 0}, ["interval must be a whole number of 1 or more"]),
        (HiCache, {"scale": 1.5}, ["scale must be a number from 0 to 1", "0.5 in the paper's code"]),
        (HiCache, {"modules": ("attention",)}, ["modules must be one of 'self_attention', ", "got 'attention'"]),
        (HiCache, {"lite": 1}, ["lite must be True or False"]),
        (Spectrum, {"window": 0.5}, ["window must be a number from 1 on", "1 computes every step"]),
        (Spectrum, {"growth": -1}, ["growth must be a number from 0 on", "0 keeps the window"]),
        (Spectrum, {"ridge": 0}, ["ridge must be a number from 1e-06 on", "0.1 in the official configs"]),
        (Spectrum, {"share": 2}, ["share must be a number from 0 to 1", "1 is the polynomial alone, 0 a line"]),
        (Spectrum, {"history": 1}, ["history must be a whole number of 2 or more"]),
        (Spectrum, {"degree": 1.5}, ["degree must be a whole number"]),
        (Spectrum, {"site": "block"}, ["site must be one of 'model', 'blocks'"]),
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
