"""TaylorSeer against a transcription of its rule and of its forecast."""

import numpy as np
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_rivals as plain
from tests.policies.drive import Single, drive
from tests.policies.trajectories import smooth

from navicache.policies import TaylorSeer


@limits(deadline=None)
@given(st.integers(1, 7), st.integers(1, 6), st.integers(0, 4), st.none() | st.integers(0, 30), st.integers(0, 10_000))
def test_taylorseer(interval, warm, order, stop, seed):
    video = smooth(seed, steps=30)
    steps, returned = plain.taylorseer([y for _, y in video], interval, warm, order, stop)
    policy = TaylorSeer(interval, warm, order, stop)
    for scheme in policy.schemes():
        seen = drive(Single(scheme), video)
        assert seen.computed == steps
        np.testing.assert_allclose(seen.returned, returned, rtol=1e-9, atol=1e-9)
