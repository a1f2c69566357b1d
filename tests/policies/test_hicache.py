"""HiCache against a transcription of its rule, against numpy's polynomials, and against TaylorSeer where they meet."""

from math import factorial, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_forecasts as plain
from tests.policies.computed import computed_steps
from tests.policies.drive import Single, drive
from tests.policies.trajectories import smooth

from navicache.policies import FiniteDifferences, HiCache, Step
from navicache.policies.finite_differences import compute_hermite_basis


@limits(deadline=None, max_examples=60)
@given(st.integers(1, 8), st.integers(1, 6), st.integers(0, 4), st.floats(0, 1), st.integers(0, 10_000))
def test_step_by_step_as_the_official_loop(interval, warm, order, scale, seed):
    video = smooth(seed, steps=30)
    steps, returned = plain.hicache([y for _, y in video], interval, warm, order, scale)
    for scheme in HiCache(interval, warm, order, scale).schemes():
        seen = drive(Single(scheme), video)
        assert seen.computed == steps
        np.testing.assert_allclose(seen.returned, returned, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("knobs", "steps"),
    [
        ({}, [0, 1, 2, 8, 14, 20, 26, 32, 38, 44]),
        ({"interval": 5, "last_step": True}, [0, 1, 2, 7, 12, 17, 22, 27, 32, 37, 42, 47, 49]),
        ({"interval": 7, "align_steps": 1}, [0, 7, 14, 21, 28, 35, 42, 49]),
    ],
)
def test_the_computed_steps_of_fifty(knobs, steps):
    assert computed_steps(HiCache(lite=True, **knobs), 50) == steps


@given(st.floats(0, 20), st.integers(1, 6), st.floats(0, 1))
def test_the_basis_is_numpys(distance, degree, scale):
    basis = [
        scale**k / factorial(k) * np.polynomial.hermite.hermval(scale * distance, np.eye(k + 1)[k])
        for k in range(1, degree + 1)
    ]
    assert compute_hermite_basis(distance, degree, scale) == pytest.approx(basis, rel=1e-9, abs=1e-9)


def test_the_weights_written_out():
    """At s = 1/2: y0 + F1 x / 2 + F2 (x^2 - 2) / 8; here x = 2, so F2's share is 1/4."""
    step = Step(index=6, local_index=6, gaps=(2, 1, 1))
    weights = FiniteDifferences(2, hermite_scale=0.5).weights(None, step)
    assert [w for _, w in weights.references] == pytest.approx([1 + 1 + 0.25, -1 - 0.5, 0.25])


def test_a_line_is_taylorseers_where_the_scale_is_the_root_of_a_half():
    step = Step(index=9, local_index=9, gaps=(3, 2))
    ours, taylor = FiniteDifferences(1, hermite_scale=sqrt(0.5)), FiniteDifferences(1)
    (a, b), (c, d) = ([w for _, w in p.weights(None, step).references] for p in (ours, taylor))
    assert (a, b) == pytest.approx((c, d))


def test_lite_is_the_whole_model():
    assert [scheme.site for scheme in HiCache(lite=True).schemes()] == ["model"]
    assert len(HiCache(modules=("mlp", "self_attention")).schemes()) == 2
