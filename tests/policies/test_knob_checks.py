"""Refused settings; each message says what to write instead."""

import math

import pytest
from tests.policies.refused import refused

from navicache.estimator import NoiseSchedule as NoiseSchedule
from navicache.policies import (
    EasyCache,
    Ema,
    Inertial,
    NaviCache,
    Random,
    Static,
)
from navicache.policies.navicache import CHOICES_BY_KNOB


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


@pytest.mark.parametrize("knob", CHOICES_BY_KNOB)
@pytest.mark.parametrize("word", ["", "Mean", "something"])
def test_unknown_word(knob, word):
    refused(
        NaviCache,
        {knob: word},
        f"{knob} must be one of",
        *(f"'{known}'" for known in CHOICES_BY_KNOB[knob]),
        f"got {word!r}",
    )


@pytest.mark.parametrize("knob", CHOICES_BY_KNOB)
def test_known_words(knob):
    for word in CHOICES_BY_KNOB[knob]:
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
        NaviCache(process_noise=NoiseSchedule(((0.5, 0.1), (0.2, 0.1))))


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


@pytest.mark.parametrize("knob", ["speedup", "threshold", "max_error"])
def test_a_whole_number_that_no_float_can_hold_is_refused(knob):
    with pytest.raises(ValueError, match=f"{knob} must be"):
        Inertial(**{knob: 10**400})
