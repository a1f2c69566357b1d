"""Inertial: its knobs, and the rule written down a second time."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_inertial
from tests.policies.doubles import Watched
from tests.policies.drive import Single, drive
from tests.policies.trajectories import smooth

from navicache.policies import DeadReckoning, ErrorGate, Inertial, Step


def test_inertial_has_twelve_knobs():
    assert len(fields(Inertial)) == 12


def test_inertial_hands_its_knobs_on():
    noises = {"process_noise": 0.01, "measurement_noise": 0.02}
    (scheme,) = Inertial(threshold=0.3, rows="call", amends=False, **noises).schemes()
    gate = scheme.gate
    while not isinstance(gate, ErrorGate):
        gate = gate.inner_gate
    assert gate == ErrorGate(threshold=0.3, rows="call", **noises)
    assert scheme.predictor == scheme.difference_predictor == DeadReckoning(**noises)


@pytest.mark.parametrize("knobs", [{"max_error": 0.05}, {"amends": False}, {"site": "blocks"}], ids=str)
def test_inertial_makes_no_amends(knobs):
    """Each step's own error is promised; they are not wanted; followers are not kept apart."""
    assert Inertial().schemes()[0].predictor.needs_last_error
    assert not Inertial(**knobs).schemes()[0].predictor.needs_last_error


@pytest.mark.parametrize("knobs", [{"shortest": -1}, {"shortest": 2.5}], ids=str)
def test_knobs_out_of_range(knobs):
    with pytest.raises(ValueError, match=next(iter(knobs))):
        Inertial(**knobs)


def check_against_the_transcription(video, *, tau: float, align: int):
    xs, ys = zip(*video, strict=True)
    log = transcription_inertial.inertial(xs, ys, tau=tau, align=align)
    (scheme,) = Inertial(threshold=tau, amends=False, align_steps=align).schemes()
    watched = Watched(scheme.predictor, [])
    seen = drive(Single(replace(scheme, predictor=watched)), video)
    damping = [state.damping.mean if state.damping else 1.0 for state in watched.states]
    assert seen.computed == log.computed
    assert damping == pytest.approx([a for a, c in zip(log.damping, log.computed, strict=True) if c], abs=1e-9)
    known = [(after["ratio"], k) for after, k in zip(seen.after, log.growth, strict=True) if k is not None]
    assert len(known) == len(video) - 1
    assert [ours for ours, _ in known] == pytest.approx([theirs for _, theirs in known], rel=1e-9)
    assert [d["accumulated"] for d in seen.decided] == pytest.approx(log.total_error, rel=1e-9)
    for ours, theirs in zip(seen.returned, log.returned, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)
    return seen


@pytest.mark.parametrize("align", [2, 5])
@pytest.mark.parametrize("tau", [0.03, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_decides_as_the_transcription_on_smooth_runs(seed, tau, align):
    video = smooth(seed)
    seen = check_against_the_transcription(video, tau=tau, align=align)
    assert 0 < sum(seen.computed) < len(video)


@limits(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    steps=st.integers(4, 30),
    tau=st.floats(0.01, 5),
    align=st.integers(2, 6),
)
def test_decides_as_the_transcription_on_anything(seed, steps, tau, align):
    rng = np.random.default_rng(seed)
    video = list(
        zip(rng.normal(size=(steps, 2, 3)).cumsum(0), 3 + rng.normal(size=(steps, 2, 3)).cumsum(0), strict=True)
    )
    check_against_the_transcription(video, tau=tau, align=align)


@pytest.mark.parametrize(("target", "slope"), [({"speedup": 2.0}, 0.0), ({"threshold": 0.1}, 1.0), ({}, 0.0)])
def test_a_schedule_holds_the_output_until_a_third_compute_shows_the_damping(target, slope):
    (scheme,) = Inertial(**target).schemes()
    for line in (scheme.predictor, scheme.difference_predictor):
        weights = line.weights(line.init(), Step(index=2, local_index=2, gaps=(1, 1)))
        assert weights.references == ((0.0, 1.0 + slope), (0.0, -slope))
