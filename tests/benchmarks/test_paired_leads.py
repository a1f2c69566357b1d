"""Leads paired by prompt, from curves that are mental arithmetic."""

import json

import pytest
from benchmarks.quality.paired_leads import main, measure_leads
from tests.evaluation.bench.curves import INERTIAL, NAVICACHE, both, plain

SECOND = ("m", "d")
ROWS = [
    *[*plain(), *INERTIAL, *NAVICACHE],  # at half of 12 steps: 50 and 40 against 43 and 39
    *plain(cell=SECOND),
    *both("I 1", (6, 41.0), (6, 38.0), series="I", policy="inertial", cell=SECOND),
    *both("N 1", (6, 44.0), (6, 35.0), series="N", cell=SECOND),  # -3 and +3
]


def find(series, other, budget):
    (found,) = [lead for lead in measure_leads(ROWS, series) if (lead.other, lead.budget) == (other, budget)]
    return found


def test_each_prompt_has_the_mean_of_its_differences():
    lead = find("I", "N", "1/2")  # 7 and 1 in the first setting: 2 and 2 over both
    assert lead.mean == (2.0, 2.0, 2.0, 2), "what prompts gain in one setting and lose in another is no spread"
    assert (lead.least, lead.ahead, lead.settings) == (0.0, 1, 2)


def test_a_setting_counts_where_both_reach_the_budget():
    lead = find("N", "I", "17/50")  # 4 steps: the first setting alone, 38 and 34 against 36.7 and 26.7
    assert lead.settings == 1
    assert lead.mean == pytest.approx((13 / 3, 4 / 3, 22 / 3, 2))


def test_the_command_prints_the_series_that_were_asked_for(tmp_path, capsys):
    rows = [{**row, "key": str(number), "group": "g"} for number, row in enumerate(ROWS)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main([str(tmp_path), "--series", "I", "--over", "N"]) == 0
    printed = capsys.readouterr().out
    assert "| N | +2.00 [+2.00, +2.00], least +0.00, ahead in 1 of 2 |" in printed
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--series", "I", "--over", "X"])
    assert "no lead of 'I' over ['X']; there are: N" in capsys.readouterr().err
