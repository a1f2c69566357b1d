"""Noise schedules: hand arithmetic, range, continuity, mean, errors."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from navicache.estimator import Noise, NoiseSchedule, check_noise, evaluate_noise, read_noise


def _build(places: list[int], values: list[float]) -> NoiseSchedule:
    return NoiseSchedule(tuple((place / 100, noise) for place, noise in zip(sorted(places), values, strict=False)))


schedules = st.builds(
    _build,
    st.lists(st.integers(0, 100), min_size=1, max_size=6, unique=True),
    st.lists(st.floats(0.0, 1e3), min_size=6, max_size=6),
)


def test_by_hand():
    schedule = NoiseSchedule(((0.25, 1.0), (0.5, 3.0), (0.75, 0.0)))
    expected = {-1.0: 1.0, 0.0: 1.0, 0.25: 1.0, 0.375: 2.0, 0.5: 3.0, 0.625: 1.5, 0.75: 0.0, 1.0: 0.0, 9.0: 0.0}
    assert {progress: schedule.interpolate(progress) for progress in expected} == expected
    assert schedule.mean == 0.25 * 1.0 + 0.25 * 2.0 + 0.25 * 1.5


def test_value_of_constant_and_schedule():
    schedule = NoiseSchedule(((0.0, 0.0), (1.0, 1.0)))
    assert evaluate_noise(0.05, None) == evaluate_noise(0.05, 0.7) == 0.05
    assert evaluate_noise(schedule, 0.7) == pytest.approx(0.7)
    assert evaluate_noise(schedule, None) == 0.5


@given(schedules, st.floats(-0.5, 1.5))
def test_at_stays_in_range(schedule: NoiseSchedule, progress: float):
    values = [noise for _, noise in schedule.points]
    assert min(values) * (1 - 1e-15) <= schedule.interpolate(progress) <= max(values) * (1 + 1e-15)


@given(schedules)
def test_points_are_met_exactly(schedule: NoiseSchedule):
    assert [schedule.interpolate(progress) for progress, _ in schedule.points] == [
        noise for _, noise in schedule.points
    ]


@given(schedules, st.floats(-0.1, 1.1), st.floats(0.0, 0.1))
def test_at_is_continuous(schedule: NoiseSchedule, progress: float, step: float):
    slopes = [abs(v_b - v_a) / (b - a) for (a, v_a), (b, v_b) in pairwise(schedule.points)]
    change = abs(schedule.interpolate(progress + step) - schedule.interpolate(progress))
    assert change <= max(slopes, default=0.0) * step * (1 + 1e-9) + 1e-9


@given(schedules)
def test_mean_is_the_integral(schedule: NoiseSchedule):
    knots = [progress for progress, _ in schedule.points]
    assert schedule.mean == pytest.approx(quad(schedule.interpolate, 0.0, 1.0, points=knots)[0], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ((), "at least one"),
        (((-0.1, 1.0),), "not in"),
        (((1.1, 1.0),), "not in"),
        (((math.nan, 1.0),), "not in"),
        (((0.0, -1.0),), "value at progress 0.0 is -1.0"),
        (((0.0, math.inf),), "finite"),
        (((0.0, math.nan),), "finite"),
        (((0.5, 1.0), (0.5, 2.0)), "each progress once"),
        (((0.5, 1.0), (0.2, 2.0)), "sort the points"),
    ],
)
def test_schedule_errors(points: tuple[tuple[float, float], ...], message: str):
    with pytest.raises(ValueError, match=message):
        NoiseSchedule(points)


def test_unknown_progress_is_none_not_nan():
    with pytest.raises(ValueError, match="evaluate_noise\\(schedule, None\\)"):
        NoiseSchedule(((0.0, 1.0),)).interpolate(math.nan)


@pytest.mark.parametrize("noise", [-1e-9, math.nan, math.inf, -math.inf])
def test_bad_constants(noise: float):
    with pytest.raises(ValueError, match=r"process_noise is .*finite.*not negative"):
        check_noise("process_noise", noise)


@pytest.mark.parametrize("noise", [0.0, 0.05, 1, NoiseSchedule(((0.0, 0.0),))])
def test_good_noise(noise: Noise):
    check_noise("process_noise", noise)


@given(st.lists(st.tuples(st.integers(0, 100), st.floats(0.0, 9.0)), min_size=1, unique_by=lambda point: point[0]))
def test_points_as_a_file_has_them_are_the_schedule(points: list[tuple[int, float]]):
    pairs = [(place / 100, noise) for place, noise in sorted(points)]
    assert read_noise("process_noise", [list(pair) for pair in pairs]) == NoiseSchedule(tuple(pairs))


@pytest.mark.parametrize("value", [0.05, "x", None, NoiseSchedule(((0.0, 0.1),))])
def test_what_is_no_list_is_left_to_the_check(value: object):
    assert read_noise("process_noise", value) is value


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([], "process_noise: points is empty"),
        ([0.1, 0.2], r"process_noise has a point 0.1: give \[progress, value\] pairs"),
        ([[0.0, 0.2, 0.3]], "has a point"),
        ([[0.0, "x"]], "has a point"),
        ([[0.0, True]], "has a point"),
        ([[0.0, -1.0]], "process_noise: the value at progress 0.0 is -1.0"),
        ([[0.5, 0.1], [0.2, 0.1]], "process_noise: progress 0.2 follows 0.5: sort the points"),
    ],
)
def test_errors_of_points_name_the_knob(points: list[object], message: str):
    with pytest.raises(ValueError, match=message):
        read_noise("process_noise", points)
