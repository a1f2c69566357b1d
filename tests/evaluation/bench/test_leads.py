"""What a table comes to, by mental arithmetic."""

import pytest
from tests.evaluation.bench.curves import HALF, INERTIAL, NAVICACHE, both, plain

from navicache.evaluation.bench.equal_steps import BUDGETS, compare_at_budgets, read_cells
from navicache.evaluation.bench.leads import summarise_leads

THIRD = BUDGETS[2]


def test_the_verdict_counts_cells_and_budgets():
    other = {"cell": ("m", "d")}
    behind = [
        *plain(**other),
        *both("I", (6, 40.0), (6, 40.0), policy="inertial", **other),
        *both("N", (6, 41.0), (6, 39.4), series="N", knobs={"threshold": 0.1}, **other),
        *both("S", (6, 42.0), (6, 42.0), policy="schedule", **other),
    ]
    table = compare_at_budgets(read_cells([*plain(), *INERTIAL, *NAVICACHE, *behind], ("inertial", "schedule")))
    verdict = summarise_leads(table)
    assert len(table) == 2 * 2, "runs of 12 steps have two budgets"
    assert verdict.counted == 3, "half and a third of the one, half of the other"
    behind = ("m, c, 17/50: -4.33 dB to N",)
    assert verdict.behind == {0.5: behind, 1.5: behind}, "S is ours, and 0.2 dB behind N in m, d within the bar"
    leads = {(lead.name, lead.budget): lead for lead in verdict.leads}
    over = leads["N", HALF]
    assert over.mean == pytest.approx((4.0 - 0.2) / 2) and over.least == pytest.approx(-0.2)
    assert over.worst == pytest.approx((40 - 39 + 40 - 39.4) / 2) and (over.worst_behind, over.cells) == (0, 2)
    assert leads["S", HALF].mean == -2 and ("S", THIRD) not in leads and ("N", THIRD) in leads
