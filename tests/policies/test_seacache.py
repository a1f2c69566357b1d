"""SeaCache against a transcription of its rule, and with other predictors behind its gate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_rivals as plain
from tests.policies.drive import drive
from tests.policies.trajectories import smooth

from navicache.policies import Outcome, SeaCache, Step


@limits(deadline=None)
@given(
    st.floats(0.01, 0.5),
    st.integers(1, 5),
    st.integers(0, 4),
    st.integers(1, 5),
    st.integers(0, 10_000),
    st.floats(0.05, 3.0),
)
def test_seacache(tau, first, end, most, seed, noise):
    video = smooth(seed, steps=30, noise=noise)
    policy = SeaCache(tau, align_steps=first, end_steps=end, longest_reuse=most)
    steps = plain.seacache([x[None] for x, _ in video], tau, first, end, most)
    assert drive(policy, video).computed == steps


@pytest.mark.parametrize("order", [0, 1])
@limits(deadline=None)
@given(st.integers(0, 10_000))
def test_seacache_returns_the_residual_on_a_line(order, seed):
    video = smooth(seed, steps=30, noise=0.5)
    seen = drive(SeaCache(threshold=0.06, order=order), video)
    assert not all(seen.computed)
    returned = plain.seacache_residuals([x for x, _ in video], [y for _, y in video], seen.computed, order)
    np.testing.assert_allclose(seen.returned, returned, rtol=1e-9, atol=1e-9)


def test_seacache_takes_the_mean_over_samples():
    """Two samples that change by 10 and 30 percent are at 0.2, however large they are."""
    gate = SeaCache(threshold=0.25).schemes()[0].gate
    step = Step(index=1, local_index=1, total=9, gap=1, since_seen=10.0, seen_magnitude=1.0, relative_change=0.2)
    state = gate.learn(gate.init(), Outcome(index=0, local_index=0))
    decision, state = gate.decide(state, step)
    assert not decision.compute
    assert gate.decide(state, step._replace(index=2, local_index=2, gap=2))[0].compute


@pytest.mark.parametrize("predictor", ["residual", "dead_reckoning", "taylor"])
def test_seacache_with_other_predictors(predictor):
    """The gate is the same, what it returns is not."""
    own, other = (drive(SeaCache(0.06, predictor=name), smooth(3)) for name in ("residual", predictor))
    assert own.marks == other.marks
    assert np.allclose(own.returned, other.returned) == (predictor == "residual")
