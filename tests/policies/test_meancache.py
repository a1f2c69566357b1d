"""MeanCache against a transcription of the official loop, and its path against every other."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.policies import transcription_outputs as plain
from tests.policies.drive import drive_loop

from navicache.policies import MeanCache
from navicache.policies.l2p import split_triangle_rows
from navicache.policies.meancache import find_cheapest_path

STEPS = 14


def drawn(seed: int, steps: int) -> tuple[tuple[float, ...], tuple[float, ...], tuple[int, ...]]:
    """Levels that fall unevenly to 0, and any errors and spans."""
    rng = np.random.default_rng(seed)
    falls = rng.uniform(0.5, 1.5, size=steps)
    sigmas = 1 - np.concatenate([[0], falls.cumsum() / falls.sum()])
    edges = steps * (steps - 1) // 2
    costs, spans = rng.uniform(0, 1, size=edges), rng.integers(1, 7, size=edges)
    return tuple(map(float, sigmas)), tuple(map(float, costs)), tuple(map(int, spans))


@limits(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(2, STEPS), st.sampled_from([1.0, 2.0, 4.0]))
def test_step_by_step_as_the_official_loop_under_euler(seed, budget, gamma):
    sigmas, costs, spans = drawn(seed, STEPS)
    policy = MeanCache(sigmas, costs, spans, budget, gamma)
    path = find_cheapest_path(split_triangle_rows(costs), budget, gamma)
    span_of = [0] * STEPS
    for start, end in pairwise(path):
        span_of[start + 1 : end] = [spans[end * (end - 1) // 2 + start]] * (end - start - 1)
    noise = np.random.default_rng(seed).normal(size=(2, 3))

    def velocity(i, latent):
        return np.sin(latent + 0.3 * i) - 0.4 * latent

    expected, clean = plain.meancache(noise, velocity, sigmas, span_of)
    latents = [noise]

    def input_at(i, output):
        if i:
            latents.append(latents[-1] + (sigmas[i] - sigmas[i - 1]) * output)
        return latents[-1]

    seen = drive_loop(policy, STEPS, input_at, velocity)
    assert [i for i, computed in enumerate(seen.computed) if computed] == list(path)
    np.testing.assert_allclose(seen.returned, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(latents[-1] + (sigmas[-1] - sigmas[-2]) * seen.returned[-1], clean, atol=1e-9)


@limits(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.integers(3, 8), st.integers(2, 8), st.sampled_from([1.0, 4.0]))
def test_no_path_is_shorter(seed, steps, budget, gamma):
    _, costs, _ = drawn(seed, steps)
    edges = {(t, d): costs[d * (d - 1) // 2 + t] for d in range(1, steps) for t in range(d)}
    path = find_cheapest_path(split_triangle_rows(costs), budget, gamma)
    assert path[0] == 0 and path[-1] == steps - 1 and len(path) <= budget
    made = sum(edges[e] ** gamma for e in pairwise(path) if e[1] - e[0] > 1)
    assert made == pytest.approx(plain.best_path(edges, steps, budget, gamma), abs=1e-12)


def test_a_large_exponent_suppresses_the_peak():
    """Two errors of 2 rather than one of 3: their sum is larger, their squares' sum is smaller."""
    costs = ((0.0,), (2.0, 0.0), (3.0, 9.0, 0.0), (9.0, 9.0, 2.0, 0.0))
    assert find_cheapest_path(costs, 3, 1.0) == (0, 3, 4)
    assert find_cheapest_path(costs, 3, 4.0) == (0, 2, 4)


def test_without_a_calibration_it_says_where_to_get_one():
    with pytest.raises(ValueError, match="navicache calibrate --method meancache"):
        MeanCache().schemes()


@pytest.mark.parametrize(
    ("knobs", "said"),
    [
        ({"sigmas": (1.0, 0.5, 0.5)}, "sigmas must be noise levels that fall"),
        ({"sigmas": (1.0, 0.5, 0.0)}, r"costs must be as many as spans, 1 of them for 3 sigmas.* got 0 and 0"),
        ({"budget": 1}, "budget must be a whole number of 2 or more"),
        ({"gamma": 0.5}, "gamma must be a number from 1"),
    ],
)
def test_refused(knobs, said):
    with pytest.raises(ValueError, match=said):
        MeanCache(**knobs)
