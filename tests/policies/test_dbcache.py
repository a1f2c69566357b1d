"""DBCache against a transcription of its rule, limits and counts included."""

from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_rivals as plain
from tests.policies.drive import drive
from tests.policies.trajectories import smooth

from navicache.policies import DBCache

limit = st.none() | st.integers(0, 6)


@limits(max_examples=300, deadline=None)
@given(
    st.sampled_from([0.0, 0.02, 0.05, 0.1, 0.3, 1.0, 1.5]),
    st.integers(1, 9),
    st.integers(1, 3),
    limit,
    limit,
    st.none() | st.floats(0, 0.5),
    st.integers(0, 10_000),
    st.floats(0.05, 3.0),
)
def test_dbcache(tau, warm, interval, most, row, total, seed, noise):
    video = smooth(seed, steps=40, noise=noise)
    given_limits = {"most": most, "row": row, "total": total}
    options = {name: value for name, value in given_limits.items() if value is not None}
    policy = DBCache(
        tau,
        align_steps=warm,
        align_interval=interval,
        most_reused=most,
        longest_reuse=row,
        most_accumulated=total,
    )
    assert drive(policy, video).computed == plain.dbcache(
        [x for x, _ in video], tau, warm, interval=interval, **options
    )
