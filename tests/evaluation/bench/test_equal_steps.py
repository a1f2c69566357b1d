"""Curves at equal computed steps, by mental arithmetic."""

import pytest
from tests.evaluation.bench.curves import BY_THRESHOLD, HALF, INERTIAL, NAVICACHE, both, plain, row

from navicache.evaluation.bench.equal_steps import (
    BUDGETS,
    CurvePoint,
    QualityCurve,
    compare_at_budgets,
    count_computed,
    read_cells,
)


def test_curves_are_read_off_between_their_settings():
    (cell,) = read_cells([*plain(), *INERTIAL, *NAVICACHE, *BY_THRESHOLD])
    assert (cell.model, cell.condition, cell.steps, cell.prompts) == ("m", "c", 12, 2)
    assert {curve.name: curve.role for curve in cell.curves} == {"I": "ours", "N": "rival", "T": "ours by threshold"}
    half, third = compare_at_budgets([cell])
    assert half.points_by_series["N"] == CurvePoint(6, 41.0, 41.0, 39.0, 2.0, 4.0), (
        "half way between (4, 36) and (8, 46)"
    )
    assert half.our_point == CurvePoint(6, 45.0, 45.0, 40.0, 0)
    assert half.lead("rival") == 4 and half.lead("ours by threshold") == -1 and half.lead("our other policy") is None
    assert half.best("rival", "ours by threshold") == ("T", CurvePoint(6, 46.0, 46.0, 46.0, 0))
    assert third.points_by_series["N"] == CurvePoint(4, 36.0, 36.0, 34.0, 2)
    assert third.points_by_series.keys() == {"I", "N"}, "nothing is guessed beyond a series' settings"
    assert third.our_point == CurvePoint(4.0, *[pytest.approx(95 / 3)] * 2, pytest.approx(80 / 3), 0, 3), (
        "a third of the way from (3, 25) to (6, 45)"
    )
    assert half.is_wide(half.points_by_series["N"]) and not half.is_wide(half.our_point), (
        "four of twelve steps are a long way"
    )


@pytest.mark.parametrize(
    ("steps", "counts"),
    [
        (30, [15, 13, 10, 8, 5]),
        (25, [13, 11, 9, 7, 5]),
        (24, [12, None, 8, 6, None]),
        (15, [8, None, 5, 4, None]),
        (10, [5, None, None, None, None]),
    ],
)
def test_a_budget_is_the_nearest_whole_number(steps, counts):
    assert [count_computed(budget, steps) for budget in BUDGETS] == counts


def test_parts_of_steps_do_not_count_and_of_two_the_better_does():
    rows = both("A", (6, 30.0), (6, 30.0))
    parts = both("B", (12, 33.0), (12, 33.0), policy="taylorseer")
    for each in parts:
        each["steps"]["partial"] = 6
    (standing,) = compare_at_budgets(read_cells([*plain(), *rows, *parts]), [HALF])
    assert {name: point.computed for name, point in standing.points_by_series.items()} == {"A": 6, "B": 6}
    twice = QualityCurve(
        "x",
        "navicache",
        "rival",
        (CurvePoint(6, 30.0, 1, 1, 0), CurvePoint(6, 31.0, 2, 2, 0), CurvePoint(6, 29.0, 3, 3, 0)),
    )
    assert twice.point_at(6) == CurvePoint(6, 31.0, 2, 2, 0)
    assert QualityCurve("x", "navicache", "rival", (CurvePoint(0.1 + 0.2, 1, 1, 1, 0),)).point_at(0.3) is not None, (
        "but for rounding"
    )


def test_a_setting_that_lacks_prompts_does_not_count():
    rows = [*plain(3), *INERTIAL, row("N 1", 6, 44.0)]
    (cell,) = read_cells(rows)
    assert cell.curves == () and cell.unfinished == ("I 1", "I 2", "N 1")
    assert read_cells(INERTIAL) == [], "without a baseline there is nothing to stand against"


def test_the_plan_says_which_policy_is_ours():
    (cell,) = read_cells([*plain(), *INERTIAL, *NAVICACHE], ("navicache", "inertial"))
    assert cell.ours == "navicache"
    assert {curve.name: curve.role for curve in cell.curves} == {"I": "our other policy", "N": "ours by threshold"}
