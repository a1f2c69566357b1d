"""The error gate: traces by mental arithmetic, and the lab's rule written down a second time."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_lab
from tests.policies.drive import drive
from tests.policies.trajectories import smooth

from navicache.estimator import Gaussian
from navicache.policies import ErrorGate, Inertial, Outcome, Step
from navicache.policies.error_gate import SPREAD_SHARE, ErrorState

EVEN = ErrorGate(threshold=1.0, tighten=0.0, landing=False)
HALF = ErrorState(growth=Gaussian(0.5, 1.0))  # k = 0.5


def step(since_seen=1.0, output_size=2.0, index=20, **more) -> Step:
    return Step(index=index, own_index=index, since_seen=since_seen, output_size=output_size, **more)


def outcome(error=None, index=20) -> Outcome:
    return Outcome(index=index, own_index=index, prediction_error=error, output_size=2.0)


def decisions(gate, state, *steps):
    """One letter a step and the state in the end; nothing is learnt."""
    marks = ""
    for each in steps:
        verdict, state = gate.decide(state, each)
        marks += "C" if verdict.compute else "r"
    return marks, state


# -- by hand -----------------------------------------------------------------------------------------------------------


def test_the_error_adds_up_until_it_is_too_much():
    """x moves by 1, |y_j| is 2: d = 0.5, 1, 1.5; k d = 0.25, 0.5, 0.75; E = 0.25, 0.75, 1.5."""
    state, seen = HALF, []
    for _ in range(3):
        verdict, state = EVEN.decide(state, step())
        seen.append((verdict.compute, state.distance, state.predicted, state.accumulated))
    assert seen == [(False, 0.5, 0.25, 0.25), (False, 1.0, 0.5, 0.75), (True, 1.5, 0.75, 1.5)]


def test_an_error_right_at_the_tolerance_computes():
    assert decisions(replace(EVEN, threshold=0.75), HALF, step(), step())[0] == "rC"
    assert decisions(replace(EVEN, threshold=0.7501), HALF, step(), step())[0] == "rr"


def test_threshold_zero_always_computes():
    still = ErrorState(growth=Gaussian(0.0, 1.0))
    assert decisions(replace(EVEN, threshold=0.0), still, step(), step(0.0))[0] == "CC"


def test_without_adding_up_each_step_stands_for_itself():
    """k d = 0.25, 0.5, 0.75, 1.0 against 1."""
    marks, state = decisions(replace(EVEN, accumulate=False), HALF, *[step()] * 4)
    assert marks == "rrrC"
    assert state.accumulated == 1.0


def test_caution_adds_deviations():
    """k = 0.5, missing by 2 of itself: 0.5 (1 + 0.5 * 2) * 0.5 = 0.5."""
    wide = ErrorState(growth=Gaussian(0.5, 1.0), spread=4.0)
    _, state = replace(EVEN, caution=0.5).decide(wide, step())
    assert state.accumulated == 0.5


def test_the_spread_follows_how_far_the_growth_missed():
    """k = 0.5 and a distance of 0.5: an error of 0.5 is a growth of 1, missed by once itself."""
    state = ErrorState(growth=Gaussian(0.5, 1.0), distance=0.5, spread=0.0)
    after = EVEN.learn(state, Outcome(index=3, own_index=3, output_size=1.0, prediction_error=0.5))
    assert after.spread == pytest.approx(SPREAD_SHARE)


@pytest.mark.parametrize(
    ("facts", "tolerance"),
    [
        ({"sigma": 0.5}, 0.6),  # 1 - 0.8 / 2
        ({"sigma": 1.0}, 0.2),
        ({"sigma": 0.0}, 1.0),
        ({"index": 0, "total": 11}, 0.2),
        ({"index": 5, "total": 11}, 0.6),  # half of the run: as a noise level of one half
        ({"index": 10, "total": 11}, 1.0),
        ({"index": 5, "total": 11, "sigma": 0.0}, 1.0),  # the noise level, where it is known
        ({"index": 5}, 0.24),  # nothing is known: as careful as near the start
    ],
)
def test_the_tolerance_tightens_with_the_noise(facts, tolerance):
    gate = ErrorGate(threshold=1.0, tighten=0.8, landing=False)
    assert gate.tolerance(step(**facts)) == pytest.approx(tolerance)
    verdict, state = gate.decide(HALF, step(since_seen=tolerance * 4 * 0.99, **facts))  # k d is a quarter of it
    assert not verdict.compute
    assert state.tolerance == pytest.approx(tolerance)
    assert gate.decide(HALF, step(since_seen=tolerance * 4 * 1.01, **facts))[0].compute


@pytest.mark.parametrize(("sigma", "tolerance"), [(1.0, 0.0), (0.75, 0.75), (0.5, 1.0), (0.25, 0.75), (0.0, 0.0)])
def test_little_is_tolerated_at_both_ends(sigma, tolerance):
    assert ErrorGate(threshold=1.0).tolerance(step(sigma=sigma)) == tolerance


def test_max_error_means_the_same_at_every_step():
    gate = Inertial(max_error=0.05).gate()
    assert [gate.tolerance(step(sigma=sigma)) for sigma in (1.0, 0.5, 0.0)] == [0.05] * 3


def test_the_tolerance_is_that_of_the_step_not_of_the_reference():
    """E = 0.25, 0.75 stays, but the tolerance falls from 1 to 0.6."""
    gate = ErrorGate(threshold=1.0, tighten=0.8, landing=False)
    assert decisions(gate, HALF, step(sigma=0.0), step(sigma=0.0))[0] == "rr"
    assert decisions(gate, HALF, step(sigma=0.0), step(sigma=0.5))[0] == "rC"


def test_before_an_error_is_measured_everything_computes():
    verdict, state = EVEN.decide(EVEN.init(), Step(index=0, own_index=0))
    assert verdict == (True, "no error yet")
    verdict, state = EVEN.decide(EVEN.learn(state, outcome()), step())
    assert verdict == (True, "no error yet")
    state = EVEN.learn(state, outcome(0.25))  # d = 0.5, so k = 0.5: the first is believed as it is
    assert state.growth == Gaussian(0.5, 1.0)
    assert decisions(EVEN, state, step(), step(), step())[0] == "rrC"


@pytest.mark.parametrize(("prior", "computes"), [(None, True), (1.9, False), (2.1, True)])
def test_a_prior_stands_for_a_growth_not_yet_measured(prior, computes):
    """Travelled 0.5 of the output: an error of half the prior, against a tolerance of 1."""
    gate = ErrorGate(threshold=1.0, tighten=0.0, landing=False, prior=prior)
    verdict, state = gate.decide(gate.init(), step())
    assert verdict.compute == computes
    taught = gate.learn(state, outcome(error=0.2))
    assert taught.growth is not None
    assert taught.growth.mean == pytest.approx(0.4), "the first measurement replaces it"


@pytest.mark.parametrize(
    ("knobs", "spares"),
    [
        ({"threshold": 0.35}, True),
        ({"threshold": 0.34}, False),
        ({"threshold": 0.8, "spare": False}, False),
        ({"threshold": 0.8, "align_steps": 2}, False),
        ({"threshold": 0.8, "site": "blocks"}, False),
        ({"max_error": 0.9}, False),
        ({"speedup": 9.0}, False),
    ],
)
def test_a_loose_threshold_spares_the_second_step(knobs, spares):
    """The latent hardly moves at first: any tolerance allows the step, if it is asked."""
    (scheme,) = Inertial(**knobs).schemes()
    state, computed = scheme.gate.init(), []
    for i in range(3):
        facts = step(since_seen=1e-4 if i else None, output_size=1.0 if i else None, index=i, total=50)
        verdict, state = scheme.gate.decide(state, facts._replace(sigma=1 - i / 50))
        computed.append(verdict.compute)
        state = scheme.gate.learn(state, outcome(index=i)) if verdict.compute else state
    assert computed[:2] == [True, not spares]
    assert computed[2] or knobs.get("align_steps") == 2


@pytest.mark.parametrize(
    ("facts", "calm", "wild"),
    [
        ({"sigma": 0.97, "gap": 1}, "r", "r"),
        ({"sigma": 0.97, "gap": 2}, "C", "C"),
        ({"sigma": 0.95, "gap": 1}, "r", "C"),
        ({"sigma": 0.95, "gap": 2}, "r", "C"),
        ({"sigma": 0.1, "index": 48, "total": 50}, "r", "r"),
        ({"sigma": 0.1, "index": 47, "total": 50}, "r", "C"),
        ({"sigma": None, "gap": 2}, "r", "C"),
    ],
)
def test_a_sparse_gate_takes_the_first_steps_by_turns_and_leaves_out_the_last_but_one(facts, calm, wild):
    """An error far below the tolerance, and one far above it."""
    gate = replace(EVEN, sparse=True)
    assert decisions(gate, HALF, step(1e-3, **facts))[0] == calm
    assert decisions(gate, HALF, step(1e3, **facts))[0] == wild
    assert decisions(EVEN, HALF, step(1e-3, **facts), step(1e3, **facts))[0] == "rC", "any other gate asks the error"


def test_a_sparse_gate_asks_its_prior_before_the_first_error_is_known():
    gate = replace(EVEN, sparse=True, prior=1.0)
    assert decisions(gate, gate.init(), step(1e3, sigma=0.99, gap=1))[0] == "C"


@pytest.mark.parametrize(
    ("knobs", "sparse"),
    [
        ({"threshold": 0.5}, True),
        ({"threshold": 0.49}, False),
        ({"threshold": 0.8, "spare": False}, False),
        ({"threshold": 0.8, "last_step": False}, False),
        ({"threshold": 0.8, "site": "blocks"}, False),
    ],
)
def test_a_looser_threshold_makes_the_gate_sparse_and_carries_the_difference_less_far(knobs, sparse):
    policy = Inertial(**knobs)
    assert policy.gate().sparse == sparse
    (scheme,) = policy.schemes()
    assert scheme.predictor.carried == 1.0
    if scheme.apart is not None:
        at = step(gaps=(2, 1))
        assert scheme.apart.weights(scheme.apart.init(), at).references[1] == (0.0, -1.7 if sparse else -2.0)


def test_a_compute_clears_error_and_distance():
    _, state = decisions(EVEN, HALF, step(), step(), step())
    state = EVEN.learn(state, outcome())
    assert state == ErrorState(HALF.growth, tolerance=1.0, predicted=0.75)
    assert decisions(EVEN, state, step(), step(), step())[0] == "rrC", "the same again"


def test_the_distance_is_in_units_of_the_output():
    """|y_j| = 8: d = 0.125, 0.25, ...; k d = 0.0625, 0.125, 0.1875, ...: E = 0.0625 n (n + 1) / 2 < 1 for five."""
    assert decisions(EVEN, HALF, *[step(output_size=8.0)] * 6)[0] == "rrrrrC"


def test_growth_is_followed():
    """Three steps: d = 1.5. An error of 3 means k = 2; P = 1.05, K = 1.05 / 1.1."""
    _, state = decisions(EVEN, HALF, step(), step(), step())
    state = EVEN.learn(state, outcome(3.0))
    gain = 1.05 / (1.1 + 1e-8)
    assert state.gain == pytest.approx(gain)
    assert state.growth == pytest.approx((0.5 + gain * 1.5, gain * 0.05), rel=1e-6)


def test_noises_are_the_filters():
    _, state = decisions(EVEN, HALF, step())
    for knobs, gain in (({"process_noise": 1.0}, 2 / 2.05), ({"measurement_noise": 1.05}, 0.5)):
        learnt = replace(EVEN, **knobs).learn(state, outcome(0.5))  # k = 1
        assert learnt.growth.mean == pytest.approx(0.5 + gain * 0.5, rel=1e-6)


def test_a_latent_that_stands_still_teaches_nothing():
    _, state = EVEN.decide(HALF, step(since_seen=0.0))
    assert state.predicted == 0.0
    assert EVEN.learn(state, outcome(0.3)).growth == HALF.growth


@pytest.mark.parametrize("unknown", [{"since_seen": None}, {"output_size": None}, {"output_size": 0.0}])
def test_a_step_that_was_not_measured_computes_and_teaches_nothing(unknown):
    """After one measured step and one that was not, the distance is unknown: an error over half of it would mislead."""
    marks, state = decisions(EVEN, HALF, step(), step(**unknown))
    assert marks == "rC"
    assert state.predicted is None
    state = EVEN.learn(state, outcome(0.5))
    assert state.growth == HALF.growth
    assert (state.accumulated, state.travelled, state.distance) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_a_number_is_below_nothing(bad):
    assert decisions(EVEN, HALF, step(since_seen=bad))[0] == "C"


def test_what_it_explains():
    _, state = decisions(EVEN, HALF, step(), step())
    shown = {"accumulated": 0.75, "threshold": 1.0, "predicted_change": 0.5, "ratio": 0.5, "variance": 1.0, "gain": 0.0}
    assert EVEN.explain(state) == shown
    assert EVEN.explain(EVEN.init()) == {"accumulated": 0.0, "threshold": 0.0}


def test_inertial_hands_its_knobs_on():
    policy = Inertial(
        threshold=0.3,
        tighten=0.4,
        landing=False,
        process_noise=0.01,
        measurement_noise=0.02,
        rows="call",
        by_channel=True,
        curved=True,
    )
    (scheme,) = policy.schemes()
    gate = scheme.gate
    while not isinstance(gate, ErrorGate):
        gate = gate.gate
    knobs = {"threshold": 0.3, "tighten": 0.4, "landing": False, "process_noise": 0.01, "measurement_noise": 0.02}
    knobs["rows"] = "call"
    assert {name: getattr(gate, name) for name in knobs} == knobs
    assert (scheme.predictor.by_channel, scheme.predictor.curved) == (True, True)


# -- the lab's rule ----------------------------------------------------------------------------------------------------


class Watched:
    """The policy, with its dampings written down."""

    def __init__(self, policy: Inertial) -> None:
        (self.scheme,) = policy.schemes()
        self.inside, self.damping = self.scheme.predictor, []

    def __getattr__(self, name):
        return getattr(self.inside, name)

    def schemes(self):
        return (replace(self.scheme, predictor=self),)

    def learn(self, state, outcome):
        state = self.inside.learn(state, outcome)
        self.damping.append(state.slope[0].mean if state.slope else 1.0)
        return state


def check_against_the_lab(video, sigmas, *, tau: float, w: float, align: int, tell_sigma: bool = True):
    xs, ys = zip(*video, strict=True)
    log = transcription_lab.inertial(xs, ys, sigmas, tau=tau, w=w, align=align)
    policy = Watched(Inertial(threshold=tau, tighten=w, landing=False, departure=False, spare=False, align_steps=align))
    tell = (lambda s: s._replace(sigma=float(sigmas[s.index]))) if tell_sigma else (lambda s: s)
    seen = drive(policy, video, step_filter=tell)
    assert seen.computed == log.computed
    assert policy.damping == pytest.approx([a for a, c in zip(log.damping, log.computed, strict=True) if c], abs=1e-9)
    known = [(after["ratio"], k) for after, k in zip(seen.after, log.growth, strict=True) if k is not None]
    assert len(known) == len(video) - 1
    assert [ours for ours, _ in known] == pytest.approx([theirs for _, theirs in known], rel=1e-9)
    assert [d["accumulated"] for d in seen.decided] == pytest.approx(log.total_error, rel=1e-9)
    for ours, theirs in zip(seen.returned, log.returned, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)
    return seen


@pytest.mark.parametrize("w", [0.0, 0.8])
@pytest.mark.parametrize("align", [2, 5])
@pytest.mark.parametrize("tau", [0.03, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_decides_as_the_lab_on_smooth_runs(seed, tau, align, w):
    video = smooth(seed)
    seen = check_against_the_lab(video, np.linspace(1, 0.02, len(video)), tau=tau, w=w, align=align)
    assert 0 < sum(seen.computed) < len(video)


@pytest.mark.parametrize("seed", range(3))
def test_progress_stands_for_the_noise_level(seed):
    video = smooth(seed)
    check_against_the_lab(video, np.linspace(1, 0, len(video)), tau=0.2, w=0.8, align=5, tell_sigma=False)


@limits(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    steps=st.integers(4, 30),
    tau=st.floats(0.01, 5),
    w=st.floats(0, 1),
    align=st.integers(2, 6),
)
def test_decides_as_the_lab_on_anything(seed, steps, tau, w, align):
    rng = np.random.default_rng(seed)
    video = list(
        zip(rng.normal(size=(steps, 2, 3)).cumsum(0), 3 + rng.normal(size=(steps, 2, 3)).cumsum(0), strict=True)
    )
    check_against_the_lab(video, rng.uniform(size=steps), tau=tau, w=w, align=align)
