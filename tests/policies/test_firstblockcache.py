"""FirstBlockCache against a transcription of its rule."""

from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_rivals as plain
from tests.policies.drive import drive
from tests.policies.trajectories import smooth

from navicache.policies import FirstBlockCache


@limits(deadline=None)
@given(st.floats(0.005, 0.3), st.integers(0, 10_000), st.floats(0.05, 3.0))
def test_first_block_cache(tau, seed, noise):
    video = smooth(seed, steps=30, noise=noise)
    assert drive(FirstBlockCache(threshold=tau), video).computed == plain.first_block([x for x, _ in video], tau)
