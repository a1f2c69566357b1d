"""No knob of NaviCache is dead, and those that promise an equality keep it."""

import math
from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.policies.drive import drive, drive_loop
from tests.policies.trajectories import Video, euler, public_trace, smooth, toy_network

from navicache.estimator import NoiseSchedule
from navicache.policies import NaviCache
from navicache.policies.navicache import CODE_AND_TEXT_VALUES

DRIFT: dict[str, Any] = {"state": "ratio_and_drift"}
ABSOLUTE: dict[str, Any] = {"relative": False, "threshold": 0.06}
CAUTIOUS: dict[str, Any] = {"gate_on": "upper_bound"}
LATE = NoiseSchedule(((0.0, 0.001), (0.5, 0.001), (0.6, 2.0)))
# knob: settings that differ in it alone, and must not decide alike
PAIRS: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {
    "threshold": [({}, {"threshold": 0.07})],
    "align_steps": [({}, {"align_steps": 7})],
    "process_noise": [({}, {"process_noise": 0.002}), ({"process_noise": LATE.mean}, {"process_noise": LATE})],
    "measurement_noise": [({}, {"measurement_noise": 2.0}), ({"measurement_noise": 0.05}, {"measurement_noise": LATE})],
    "initial_variance": [({}, {"initial_variance": 0.001})],
    "paper_text": [({}, {"paper_text": True})],
    "alignment": [({}, {"alignment": "mean"}), ({}, {"alignment": "filtered"})],
    "grow_on_reuse": [({}, {"grow_on_reuse": True})],
    "relative": [({}, {"relative": False})],
    "norm": [(ABSOLUTE, {**ABSOLUTE, "norm": "sum"})],
    "change_since": [({}, {"change_since": "computed"})],
    "last_step": [({}, {"last_step": False})],
    "epsilon": [({}, {"epsilon": 0.01})],
    "output_epsilon": [({}, {"output_epsilon": 0.2})],
    "state": [({}, DRIFT)],
    "drift_noise": [(DRIFT, {**DRIFT, "drift_noise": 0.5}), (DRIFT, {**DRIFT, "drift_noise": LATE})],
    "dimensions": [({}, {"dimensions": "channel"})],
    "gate_on": [({}, CAUTIOUS)],
    "deviations": [(CAUTIOUS, {**CAUTIOUS, "deviations": 3.0})],
    "longest_reuse": [({}, {"longest_reuse": 1})],
}
ELSEWHERE = {"hold", "rows", "site"}  # tests of their own below: they change outputs, or what the engine does


@cache
def marks(**knobs: Any) -> tuple[str, ...]:
    policies = [NaviCache(**{"threshold": tau, "align_steps": 5, **knobs}) for tau in (0.05, 0.35)]
    videos = (smooth(0), uneven(1), public_trace())
    return tuple(drive(policy, video).marks for policy in policies for video in videos)


def uneven(seed: int) -> Video:
    """Channels of different ratios, whose inputs take turns to move."""
    scale = np.array([[0.1], [0.5], [1.5], [3.0]])
    video = smooth(seed, noise=0.8)
    return [(x + 0.1 * np.sin(0.7 * i + scale), y * scale) for i, (x, y) in enumerate(video)]


@pytest.mark.parametrize("knob", PAIRS)
def test_knob_changes_a_decision(knob):
    for plain, changed in PAIRS[knob]:
        assert marks(**plain) != marks(**changed)


def test_every_knob_is_tried():
    assert {f.name for f in fields(NaviCache)} == PAIRS.keys() | ELSEWHERE
    assert CODE_AND_TEXT_VALUES.keys() <= PAIRS.keys() | ELSEWHERE


def test_hold_changes_what_is_returned_and_so_what_follows():
    residual, output = (
        drive_loop(NaviCache(0.2, 5, hold=hold), 40, euler(1, 40), toy_network(1, 40))
        for hold in ("residual", "output")
    )
    (first, *_) = [i for i, computed in enumerate(residual.computed) if not computed]
    x, y = residual.inputs[first - 1], residual.returned[first - 1]
    np.testing.assert_allclose(residual.returned[first], residual.inputs[first] + y - x)
    np.testing.assert_allclose(output.returned[first], y)
    assert residual.marks != output.marks


def test_paper_text_is_its_choices_by_hand():
    by_hand = NaviCache(
        alignment="mean",
        grow_on_reuse=True,
        relative=False,
        norm="sum",
        change_since="computed",
        hold="output",
        last_step=False,
        epsilon=0.0,
        output_epsilon=0.0,
    )
    text = NaviCache(paper_text=True)
    assert replace(by_hand, paper_text=True) == text.resolve_all_knobs()
    assert text.schemes() == by_hand.schemes()
    assert {knob: text.resolve_knob(knob) for knob in CODE_AND_TEXT_VALUES} == {
        knob: choice for knob, (_, choice) in CODE_AND_TEXT_VALUES.items()
    }


def test_code_is_the_default():
    code = {"alignment": "newest", "grow_on_reuse": False, "relative": True, "norm": "mean", "change_since": "seen"}
    code |= {"hold": "residual", "last_step": True, "epsilon": 1e-8, "output_epsilon": 0.0}
    assert NaviCache().resolve_all_knobs() == NaviCache(**code)
    assert (NaviCache().threshold, NaviCache().align_steps) == (0.05, 10)
    assert (NaviCache().process_noise, NaviCache().measurement_noise, NaviCache().initial_variance) == (0.05, 0.05, 1.0)


@pytest.mark.parametrize("knob", CODE_AND_TEXT_VALUES)
def test_a_choice_by_hand_stands_beside_paper_text(knob):
    code, _ = CODE_AND_TEXT_VALUES[knob]
    assert getattr(NaviCache(paper_text=True, **{knob: code}), knob) == code


@pytest.mark.parametrize("knobs", [{"paper_text": True}, {"state": "ratio_and_drift"}])
def test_replace_builds_what_the_constructor_builds(knobs):
    """Choices left open are written back at construction, so `replace` takes them for made by hand."""
    assert replace(NaviCache(), **knobs) == NaviCache(**knobs)


@pytest.mark.parametrize(
    "knobs", [{"epsilon": -1.0}, {"epsilon": math.nan}, {"output_epsilon": -1.0}, {"longest_reuse": -1}], ids=str
)
def test_senseless_numbers_are_refused_at_construction(knobs):
    with pytest.raises(ValueError, match=next(iter(knobs))):
        NaviCache(**knobs)


@pytest.mark.parametrize("knobs", [{}, {"alignment": "filtered"}, {"alignment": "mean"}, DRIFT, CAUTIOUS, ABSOLUTE])
def test_channels_all_alike_are_the_scalar(knobs):
    video = [(np.repeat(x, 3, axis=0), np.repeat(y, 3, axis=0)) for x, y in smooth(1, channels=1)]
    scalar, channel = (
        drive(NaviCache(align_steps=5, dimensions=dims, **knobs), video) for dims in ("scalar", "channel")
    )
    assert scalar.marks == channel.marks
    for a, b in zip(scalar.after, channel.after, strict=True):
        assert dict(a) == pytest.approx(dict(b))


def test_norm_matters_only_for_absolute_errors():
    assert marks(norm="sum") == marks()


def test_growth_is_counted_once_where_everything_is_computed():
    """Also while aligning, where the filtered form lets the variance grow by itself."""
    runs = [
        drive(NaviCache(0.0, 6, alignment=form, grow_on_reuse=grow), smooth(0))
        for form in ("filtered", "newest")
        for grow in (False, True)
    ]
    gains = [[after["gain"] for after in run.after[1:]] for run in runs]
    assert gains[0] == pytest.approx(gains[1])
    assert gains[2] == pytest.approx(gains[3])


def test_a_drift_moves_on_reused_steps_unless_told_otherwise():
    assert NaviCache(state="ratio_and_drift").build_gate().grow_on_reuse is True
    assert NaviCache(state="ratio_and_drift", grow_on_reuse=False).build_gate().grow_on_reuse is False


def test_no_deviation_is_the_mean():
    assert marks(gate_on="upper_bound", deviations=0.0) == marks()


@pytest.mark.parametrize("longest", [0, 1, 3])
def test_longest_reuse(longest):
    for run in marks(threshold=0.5, longest_reuse=longest):
        assert max(map(len, run.split("C"))) == longest


def test_schedule_follows_progress():
    """A constant as a schedule changes nothing; without a step count its mean is used."""
    flat = NoiseSchedule(((0.0, 0.05), (1.0, 0.05)))
    assert marks(process_noise=flat, measurement_noise=flat) == marks()
    untold, mean = (
        drive(NaviCache(0.05, 5, process_noise=noise), smooth(1), tell_total=False) for noise in (LATE, LATE.mean)
    )
    assert [dict(after) for after in untold.after] == [dict(after) for after in mean.after]
