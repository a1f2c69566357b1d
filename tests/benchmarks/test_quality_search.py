"""How the quality benchmark looks for settings."""

import itertools
import random

import pytest


def explore(script, span, curve):
    """Measure a made-up curve until it is known."""
    module, points = script("quality_curves"), []
    for _ in range(80):
        setting = module.next_setting(points, 0.05, span)
        if setting is None:
            return points
        assert setting not in [point.setting for point in points]
        points.append(module.Point(setting, *curve(setting)))
    raise AssertionError("the search does not end")


def smooth(threshold):
    computed = 6 + 44 / (1 + (threshold / 0.06) ** 1.5)
    return computed, 20 + computed


@pytest.mark.parametrize("steps", [50, 30])
def test_the_search_leaves_no_wide_gap(script, steps):
    span = script("quality_curves").Span.of_run(steps)
    points = explore(script, span, lambda threshold: [value * steps / 50 for value in smooth(threshold)])
    places = sorted(point.computed for point in points)
    inner = [b - a for a, b in itertools.pairwise(places) if b > span.low and a < span.high]
    assert places[0] <= span.low < span.high <= places[-1]
    assert max(inner) <= span.gap
    assert len(points) <= 26


def test_the_search_follows_the_curve_until_it_has_fallen(script):
    span = script("quality_curves").Span
    points = explore(script, span(12, 32, gap=0.5, floor=28), smooth)  # 28 dB at 8 steps
    places = sorted(point.computed for point in points)
    assert places[0] < 8
    assert all(b - a <= 0.5 for a, b in itertools.pairwise(places) if a < 32 and b > 8)


def test_around_bars_fewer_settings_do(script):
    span = script("quality_curves").Span
    everywhere = explore(script, span(12, 32, gap=0.5), smooth)
    points = explore(script, span(12, 32, gap=0.5, targets=(20.0, 25.0)), smooth)
    assert len(points) < len(everywhere) / 2
    at = script("quality_bars").at
    for target in (20.0, 25.0):
        assert at([(p.computed, p.psnr) for p in points], target, 0.5) == pytest.approx(20 + target)


@pytest.mark.parametrize(("target", "low", "high"), [(34.0, 0.05, 0.09), (14.0, 0.2, 0.4)])
def test_a_bar_near_one_end_is_aimed_at(script, target, low, high):
    module = script("quality_curves")
    points = [module.Point(0.05, 36.0, 60.0), module.Point(0.4, 10.0, 30.0)]
    assert low < module.next_setting(points, 0.05, module.Span(12, 32, targets=(target,))) < high


@pytest.mark.parametrize(
    "curve",
    [
        lambda t: (50.0, 100.0) if t < 0.3 else (20.0, 45.0),  # at most two reuses in a row: a step and no more
        lambda t: (50.0, 100.0),  # nothing is ever reused
        lambda t: (10.0, 20.0),  # everything always
    ],
)
def test_the_search_ends_where_there_is_nothing_to_find(script, curve):
    explore(script, script("quality_curves").Span(12, 32, floor=33), curve)


def test_the_search_goes_on_from_any_order_of_points(script):
    module = script("quality_curves")
    span = module.Span(12, 32)
    points = explore(script, span, smooth)
    for count in range(1, len(points)):
        some = random.Random(count).sample(points[:count], count)
        assert module.next_setting(some, 0.05, span) == points[count].setting
