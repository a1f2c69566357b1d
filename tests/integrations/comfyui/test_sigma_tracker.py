"""Steps by noise levels, for lists and orders that no usual sampler has."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navicache_comfyui.sigma_tracker import SegmentStep, SigmaTracker

LEVELS = [1.0, 0.8, 0.5, 0.2, 0.0]
several = st.lists(st.floats(1e-3, 100), min_size=2, max_size=30, unique=True)
falling = several.map(lambda sigmas: sorted(sigmas, reverse=True))


def steps(course: SigmaTracker, sigmas: list[float]) -> list[int]:
    return [course.advance_to(sigma).step for sigma in sigmas]


@pytest.mark.parametrize(
    ("evaluations", "expected"),
    [
        ([1.0, 0.8, 0.5, 0.2], [0, 1, 2, 3]),  # euler
        ([1.0, 0.8, 0.8, 0.5, 0.5, 0.2, 0.2], [0, 1, 1, 2, 2, 3, 3]),  # heun
        ([1.0, 0.9, 0.8, 0.6, 0.5, 0.3, 0.2], [0, 0, 1, 1, 2, 2, 3]),  # dpm_2
        ([1.0, 0.8, 0.5, 0.8, 0.5, 0.2, 0.5, 0.2], [0, 1, 2, 2, 2, 3, 3, 3]),  # heunpp2
        ([0.9999, 0.8001, 0.4999, 0.2], [0, 1, 2, 3]),  # a sampler that is not exact
        ([1.0, 0.8, 0.5, 0.2, 0.0], [0, 1, 2, 3, 3]),  # a look at the very end
    ],
)
def test_evaluations_belong_to_steps(evaluations: list[float], expected: list[int]) -> None:
    assert steps(SigmaTracker(LEVELS), evaluations) == expected


def test_noise_put_back_begins_a_stretch_of_its_own() -> None:
    course = SigmaTracker(LEVELS)
    assert steps(course, [1.0, 0.8, 0.5, 0.2]) == [0, 1, 2, 3]
    assert [course.advance_to(sigma) for sigma in (0.8, 0.5)] == [SegmentStep(1, 0, 3), SegmentStep(1, 1, 3)]
    assert course.segment_count == 2


def test_a_list_that_goes_up_again() -> None:
    course = SigmaTracker([1.0, 0.6, 0.3, 0.9, 0.5, 0.0])
    places = [course.advance_to(sigma) for sigma in (1.0, 0.6, 0.3, 0.9, 0.5)]
    assert places == [
        SegmentStep(0, 0, 3),
        SegmentStep(0, 1, 3),
        SegmentStep(0, 2, 3),
        SegmentStep(1, 0, 2),
        SegmentStep(1, 1, 2),
    ]


def test_one_level_alone() -> None:
    assert SigmaTracker([1.0]).advance_to(1.0) == SegmentStep(0, 0, 1)


@given(falling)
def test_one_evaluation_at_each_level(sigmas: list[float]) -> None:
    course = SigmaTracker([*sigmas, 0.0])
    assert [course.advance_to(sigma) for sigma in sigmas] == [
        SegmentStep(0, i, len(sigmas)) for i in range(len(sigmas))
    ]


@given(falling, st.lists(st.floats(0, 100), max_size=40))
def test_no_order_of_evaluations_breaks_it(sigmas: list[float], evaluations: list[float]) -> None:
    course = SigmaTracker([*sigmas, 0.0])
    places = [course.advance_to(sigma) for sigma in evaluations]
    assert all(0 <= place.step < place.total_steps for place in places)
    assert all(before <= after for before, after in pairwise((place.segment, place.step) for place in places))
