"""Spectrum against a transcription of its loop and of its fit, and its weights against numpy's least squares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_forecasts as plain
from tests.policies.computed import computed_steps
from tests.policies.drive import drive
from tests.policies.trajectories import smooth

from navicache.policies import Blocks, ChebyshevRidge, Spectrum, Step
from navicache.policies.chebyshev_ridge import compute_ridge_weights, evaluate_chebyshev, solve_positive

STEPS = 40


@limits(deadline=None, max_examples=60)
@given(
    st.sampled_from([1.0, 1.5, 2.0, 3.0]),
    st.sampled_from([0.0, 0.05, 0.1, 0.75, 3.0]),
    st.integers(1, 8),
    st.integers(0, 6),
    st.floats(1e-3, 10),
    st.floats(0, 1),
    st.integers(2, 30),
    st.integers(0, 10_000),
)
def test_step_by_step_as_the_official_loop(window, growth, warm, degree, ridge, share, history, seed):
    video = smooth(seed, steps=STEPS)
    policy = Spectrum(window, growth, warm, degree, ridge, share, history=history)
    seen = drive(policy, video)
    assert seen.computed == plain.growing_windows(STEPS, window, growth, warm)
    expected = plain.spectrum([y for _, y in video], seen.computed, degree, ridge, share, history)
    np.testing.assert_allclose(seen.returned, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    ("knobs", "steps"),
    [
        ({}, [0, 1, 2, 3, 4, 6, 8, 11, 15, 20, 25, 31, 38, 46]),  # the 14 of 50 that the project's page names
        ({"growth": 3.0}, [0, 1, 2, 3, 4, 6, 11, 19, 30, 44]),
        ({"growth": 0.1, "last_step": True}, None),
    ],
)
def test_the_computed_steps_of_fifty(knobs, steps):
    if steps is None:  # the window's tenths add up to whole numbers: 2 stays 2 for ten windows
        steps = [*range(5), *range(6, 25, 2), *range(27, 49, 3), 49]
    assert computed_steps(Spectrum(**knobs), 50) == steps


@limits(deadline=None, max_examples=60)
@given(st.sets(st.integers(0, 49), min_size=1, max_size=30), st.integers(0, 60), st.integers(0, 5), st.floats(1e-3, 10))
def test_the_weights_are_those_of_least_squares(computed, index, degree, ridge):
    """The ridge as rows of its own: numpy solves it by another way."""
    steps = tuple(sorted(computed, reverse=True))
    design = np.polynomial.chebyshev.chebvander(2 * np.array(steps) / 50 - 1, degree)
    rows = np.vstack([design, np.sqrt(ridge) * np.eye(degree + 1)])
    outputs = np.vstack([np.eye(len(steps)), np.zeros((degree + 1, len(steps)))])  # one output at a time
    coefficients = np.linalg.lstsq(rows, outputs, rcond=None)[0]
    expected = np.polynomial.chebyshev.chebvander(2 * index / 50 - 1, degree) @ coefficients
    ours = compute_ridge_weights(steps, index, degree, ridge, 50)
    np.testing.assert_allclose(ours, np.ravel(expected), rtol=1e-6, atol=1e-8)


@given(st.floats(-1.5, 1.5), st.integers(0, 8))
def test_the_polynomials_are_numpys(tau, degree):
    expected = np.polynomial.chebyshev.chebvander(tau, degree)
    assert evaluate_chebyshev(tau, degree) == pytest.approx(list(np.ravel(expected)), rel=1e-9, abs=1e-9)


@given(st.integers(1, 7), st.integers(0, 1000))
def test_systems_are_solved(size, seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    matrix, right = root @ root.T + 0.1 * np.eye(size), rng.normal(size=size)
    expected = np.linalg.solve(matrix, right)
    np.testing.assert_allclose(solve_positive(matrix.tolist(), right.tolist()), expected, rtol=1e-7, atol=1e-9)


def test_one_output_is_held_and_a_line_is_a_line():
    line = ChebyshevRidge(share=0.0)
    assert line.weights(None, Step(index=0, local_index=0)).references == ((0.0, 1.0),)
    assert line.weights(None, Step(index=1, local_index=1, gaps=(1,))).references == ((0.0, 1.0),)
    weights = line.weights(None, Step(index=9, local_index=9, gaps=(3, 2, 1)))
    assert [w for _, w in weights.references] == pytest.approx([2.5, -1.5, 0.0])


def test_a_run_of_other_length_is_mapped_by_its_span():
    """The official code takes 50 for every run: 30 steps end at tau = 0.16 there, and at 0.93 here."""
    step = Step(index=29, local_index=29, gaps=(4, 5, 5, 5, 5))
    fifty, thirty = (ChebyshevRidge(share=1.0, span=span).weights(None, step) for span in (50, 30))
    assert fifty != thirty


def test_the_blocks_or_the_whole_model():
    assert [Spectrum().schemes()[0].site, Spectrum(site="model").schemes()[0].site] == [Blocks(), "model"]
