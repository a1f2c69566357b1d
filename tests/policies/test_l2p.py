"""L2P against a transcription of its loop, and its official lists of steps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_outputs as plain
from tests.policies.computed import computed_steps
from tests.policies.drive import drive
from tests.policies.trajectories import smooth

from navicache.policies import L2P
from navicache.policies.budget import DEFAULT_SHIFT, build_schedule
from navicache.policies.noise_levels import build_shifted_levels

STEPS = 20


def matrix(seed: int, steps: int) -> np.ndarray:
    """Rows that sum to about 1, as fitted ones do, with zeros above the diagonal."""
    rng = np.random.default_rng(seed)
    return np.tril(np.eye(steps) + 0.1 * rng.normal(size=(steps, steps)))


def flat(square: np.ndarray) -> tuple[float, ...]:
    return tuple(float(w) for i, row in enumerate(square[:-1]) for w in row[: i + 1])


@limits(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.sets(st.integers(1, STEPS - 1)))
def test_step_by_step_as_the_official_loop(seed, listed):
    video, square, at = smooth(seed, steps=STEPS), matrix(seed, STEPS), tuple({0, *listed})
    seen = drive(L2P(flat(square), at=at, align_steps=1), video)
    assert seen.computed == [i in at for i in range(STEPS)]
    np.testing.assert_allclose(seen.returned, plain.l2p([y for _, y in video], square, set(at)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("interval", "steps"),
    [
        (5, [0, 1, 2, 4, 6, 9, 14, 23, 30, 37, 44]),
        (7, [0, 1, 2, 4, 9, 17, 26, 35, 43]),
        (16, [0, 1, 2, 4, 16, 32]),
        (9, [0, 1, 2, 4, 13, 22, 31, 40, 49]),  # none is published: as TaylorSeer
    ],
)
def test_the_official_lists_of_fifty_steps(interval, steps):
    assert computed_steps(L2P(flat(np.eye(50)), interval), 50) == steps


def test_another_number_of_steps_is_as_taylorseer():
    assert computed_steps(L2P(flat(np.eye(15)), 5), 15) == [0, 1, 2, 4, 9, 14]
    assert computed_steps(L2P(flat(np.eye(13)), 5, last_step=True), 13) == [0, 1, 2, 4, 9, 12]


def test_a_speed_up_takes_the_steps_of_our_schedule():
    assert computed_steps(L2P(flat(np.eye(50)), speedup=3.1), 50) == sorted(
        build_schedule(build_shifted_levels(50, DEFAULT_SHIFT), 16, 3)
    )
    with pytest.raises(ValueError, match="at and speedup exclude each other"):
        L2P(flat(np.eye(50)), at=(0, 1), speedup=2.0)


def test_without_weights_it_says_where_to_get_them():
    with pytest.raises(ValueError, match="navicache calibrate --method l2p"):
        L2P().schemes()


@pytest.mark.parametrize("count", [2, 4, 5])
def test_weights_that_are_no_triangle(count):
    with pytest.raises(ValueError, match=rf"weights must be 1 \+ 2 \+ 3 .* got {count}"):
        L2P((0.5,) * count)
