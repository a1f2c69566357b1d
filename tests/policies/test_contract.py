"""What every policy of the catalog promises; a new entry is covered from the moment it is in `POLICIES`."""

import copy
import math
from dataclasses import fields
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies.cases import every_policy, knobs_of, sample, singles
from tests.policies.drive import Single, drive
from tests.policies.trajectories import smooth

from navicache.policies import (
    Gate,
    Outcome,
    Step,
)
from navicache.records import StepRecord

# The engine writes these fields itself.
WRITTEN = {"index", "stream", "computed", "reason", "sample", "time", "sigma", "input_change"}
EXPLAINED = {f.name for f in fields(StepRecord)} - WRITTEN
CONSERVATIVE = {
    "threshold": 0.0,
    "interval": 1,
    "window": 1,
    "growth": 0,
    "probability": 1.0,
    "self_attention": 1,
    "temporal_attention": 1,
    "cross_attention": 1,
    "mlp_reuses": 0,
}
CAREFUL = {  # of these cases alone: their knobs exclude each other
    "inertial, speed-up": {"speedup": 1.0},
    "inertial, promise": {"max_error": 0.0},
    "schedule": {"at": None, "speedup": 1.0},
    "l2p, listed": {"at": None, "interval": 1},
    "meancache": {"budget": 50},
}
STEP_MEASURES = ("since_seen", "since_computed", "output_magnitude", "seen_magnitude", "computed_magnitude")
OUTCOME_MEASURES = ("input_change", "output_change", "output_magnitude", "prediction_error")


@every_policy
@pytest.mark.parametrize("seed", [0, 1])
def test_computes_and_reuses_and_the_same_again(name, seed):
    aligned = sample(name).align_steps
    for single, other in zip(singles(name), singles(name), strict=True):
        first, again = drive(single, smooth(seed)), drive(other, smooth(seed))
        assert first.computed[0]
        assert not all(first.computed)
        assert first.computed[:aligned] == [True] * aligned
        assert first.computed[-1] or not single.scheme.computes_last_step
        assert (first.computed, first.reasons, first.after) == (again.computed, again.reasons, again.after)


@every_policy
def test_second_run_inherits_nothing(name):
    """One gate object for both runs: what it learnt at the first must be in the state alone."""
    for shared, new in zip(singles(name), singles(name), strict=True):
        drive(shared, smooth(7))
        second, fresh = drive(shared, smooth(8)), drive(new, smooth(8))
        assert (second.computed, second.after) == (fresh.computed, fresh.after)


@every_policy
def test_most_conservative_setting_computes_everything(name):
    knobs = CAREFUL.get(name) or {knob: value for knob, value in CONSERVATIVE.items() if knob in knobs_of(name)}
    assert knobs, f"say in CONSERVATIVE which knob of {name!r} is the careful one"
    for seed in range(3):
        for single in singles(name, **knobs):
            assert all(drive(single, smooth(seed), tell_total=False).computed)


@every_policy
def test_without_a_step_count_the_last_step_is_not_forced(name):
    """The noise level is told in both: it stands for the progress where the number of steps is unknown."""
    video = smooth(0)
    for single in singles(name):
        told, untold = (
            drive(
                single,
                video,
                tell_total=tell,
                step_filter=lambda s: s._replace(sigma=1 - s.index / (len(video) - 1)),
            )
            for tell in (True, False)
        )
        assert told.computed[:-1] == untold.computed[:-1]
        assert ("last step" in told.reasons) == single.scheme.computes_last_step
        assert "last step" not in untold.reasons


measure = st.floats(1e-6, 1e6) | st.sampled_from([math.nan, math.inf, -math.inf])
maybe = st.none() | measure
channels = st.none() | st.tuples(measure, measure)
readings = st.lists(
    st.fixed_dictionaries(
        {
            "step": st.fixed_dictionaries(
                {key: maybe for key in (*STEP_MEASURES, "relative_change", "time")} | {"by_channel": channels}
            ),
            "outcome": st.fixed_dictionaries(
                {key: maybe for key in OUTCOME_MEASURES}
                | dict.fromkeys(("input_by_channel", "output_by_channel"), channels)
            ),
        }
    ),
    min_size=1,
    max_size=20,
)


@every_policy
@limits(max_examples=15, deadline=None)
@given(told=readings, align=st.integers(2, 4))
def test_whatever_is_measured(name, told, align):
    """Old states stay as they are, nothing raises, and all that is explained is a finite field of the trace."""
    for single in singles(name, align_steps=align):
        goes_through(single.scheme.gate, told)


def goes_through(gate: Gate[Any], told: list[Any]) -> None:
    state, gap = gate.init(), 0
    for i, reading in enumerate(told):
        before = copy.deepcopy(state)
        step = Step(index=i, local_index=i, total=20, gap=gap, **reading["step"])
        decision, decided = gate.decide(state, step)
        assert repr(state) == repr(before)
        assert decision.compute or i > 0
        explained(gate.explain(decided))
        after = decided
        if decision.compute:
            kept = copy.deepcopy(decided)
            after = gate.learn(decided, Outcome(index=i, local_index=i, total=20, gap=gap, **reading["outcome"]))
            assert repr(decided) == repr(kept)
        explained(gate.explain(after))
        state, gap = after, 1 if decision.compute else gap + 1


def explained(shown: Any) -> None:
    assert shown.keys() <= EXPLAINED
    assert all(type(value) in (int, float) and math.isfinite(value) for value in shown.values()), shown


@every_policy
@pytest.mark.parametrize(("measurement", "bad"), list(zip(STEP_MEASURES, cycle((math.nan, math.inf)))))
def test_a_broken_measurement_computes_and_is_forgotten(name, measurement, bad):
    for single in singles(name):
        is_forgotten(single, measurement, bad)


def is_forgotten(single: Single, measurement: str, bad: float) -> None:
    clean = drive(single, smooth(1))
    for at in (clean.computed.index(False), clean.computed.index(True, 20)):
        broken = drive(
            single,
            smooth(1),
            step_filter=lambda s, at=at: s._replace(**{measurement: bad}) if s.index == at else s,
        )
        assert broken.computed[at]
        assert broken.reasons[at] == "not finite"
        assert not all(broken.computed[at:])
        if clean.computed[at]:  # it would have computed anyway: nothing is different, or this step taught nothing
            untaught = drive(
                single,
                smooth(1),
                outcome_filter=lambda o, at=at: o._replace(prediction_error=None) if o.index == at else o,
            )
            assert broken.computed in (clean.computed, untaught.computed)


@every_policy
@pytest.mark.parametrize(("measurement", "bad"), list(zip(OUTCOME_MEASURES, cycle((math.nan, math.inf)))))
def test_a_broken_outcome_teaches_nothing(name, measurement, bad):
    single = singles(name)[0]
    at = drive(single, smooth(1, steps=30)).computed.index(True, 6)
    for steps in ({at}, {0, 1, 2, 3, 4}):
        seen = drive(
            single,
            smooth(1, steps=30),
            outcome_filter=lambda o, steps=steps: o._replace(**{measurement: bad}) if o.index in steps else o,
        )
        assert not all(seen.computed[6:])
        for shown in (*seen.decided, *seen.after):
            explained(shown)
