"""Regrets, by mental arithmetic."""

import pytest
from tests.evaluation.bench.curves import HALF, INERTIAL, NAVICACHE, THIRD, both, plain

from navicache.evaluation.bench.equal_steps import compare_at_budgets, read_cells
from navicache.evaluation.bench.regret import find_regrets, summarise_regrets

OTHER = {"cell": ("m", "d")}
ROWS = [
    *plain(),
    *INERTIAL,
    *NAVICACHE,
    *plain(**OTHER),
    *both("I 1", (6, 40.0), (6, 40.0), series="I", policy="inertial", **OTHER),
    *both("list", (6, 43.0), (6, 41.0), policy="schedule", **OTHER),
]


@pytest.fixture
def table():
    return compare_at_budgets(read_cells(ROWS), [HALF, THIRD])


def test_the_best_of_everything_has_none(table):
    half, third, other, _ = table
    assert find_regrets(half, "I") == {"psnr": 0, "median": 0, "worst": 0}
    assert find_regrets(half, "N") == {"psnr": 4, "median": 4, "worst": 1}, "45 against 41; 40 against 39"
    assert find_regrets(third, "N")["psnr"] == 0 and find_regrets(third, "I")["psnr"] == pytest.approx(36 - 95 / 3)
    assert find_regrets(other, "list")["psnr"] == 0 and find_regrets(other, "I")["psnr"] == 2
    assert find_regrets(half, "list") is None


def test_a_series_is_judged_over_what_it_reaches(table):
    least, middle, most = summarise_regrets(table)
    assert [each.curve.name for each in (least, middle, most)] == ["list", "N", "I"], "worst: 0, 4 and 4.3 dB"
    assert most.worst == (pytest.approx(13 / 3), "m, c, 1/3") and most.mean() == pytest.approx((0 + 2 + 13 / 3) / 3)
    assert len(most.known) == 3 and most.missing == (), "nothing reaches a third in the other cell"
    half = most.at(HALF)
    assert half.worst == (2, "m, d, 1/2") and (half.mean(), half.mean("median"), half.mean("worst")) == (1, 1, 0.5)


def test_what_a_series_does_not_reach_is_named(table):
    least, middle, _ = summarise_regrets(table)
    assert middle.missing == (("m, d", HALF),) and middle.at(THIRD).missing == ()
    assert least.missing == (("m, c", HALF), ("m, c", THIRD))
    assert not least.at(THIRD).known and least.at(THIRD).missing == (("m, c", THIRD),)
