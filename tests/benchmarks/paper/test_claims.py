"""NaviCache against every other policy, on rows whose figures are mental arithmetic."""

import csv
import json

import pytest
from benchmarks.paper.claims import compare_policies, format_markdown, main
from tests.evaluation.bench.curves import both, plain


def cell(name, rival, model="m"):
    """NaviCache at half of 12 steps has 43 and 39 dB; the rival has these two."""
    where = {"cell": (model, name)}
    return [
        *plain(**where),
        *both("N 1", (9, 48.0), (7, 44.0), series="NaviCache", **where),
        *both("N 2", (5, 38.0), (3, 34.0), series="NaviCache", **where),
        *both("E 1", (6, rival[0]), (6, rival[1]), series="EasyCache", **where),
    ]


ROWS = [*cell("UniPC", (41.0, 39.0)), *cell("Euler", (41.0, 36.0)), *cell("UniPC", (44.0, 40.0), "n")]


def find(rows, model, budget="1/2"):
    (found,) = [each for each in compare_policies(rows) if (each.model, each.budget) == (model, budget)]
    return found


def test_a_prompt_counts_once_over_all_settings_of_a_model():
    found = find(ROWS, "m")  # 2 and 0, then 2 and 3: a prompt has 2, the other 1.5
    assert (found.settings, found.prompts, found.difference) == (2, 2, 1.75)
    assert (found.low, found.high) == (1.5, 2.0)
    assert (found.ahead, found.behind) == (1, 0), "with UniPC the interval reaches zero"


def test_all_models_together_and_one_that_is_behind():
    assert (find(ROWS, "n").difference, find(ROWS, "n").behind) == (-1.0, 1)
    found = find(ROWS, "all")
    assert (found.settings, found.ahead, found.behind) == (3, 1, 1)
    assert found.difference == pytest.approx((2 + 0 + 2 + 3 - 1 - 1) / 6)


def test_a_setting_in_which_one_does_not_reach_the_budget_does_not_count():
    assert not [each for each in compare_policies(ROWS) if each.budget == "17/50"]


def test_bfloat16_is_the_same_model():
    rows = [*ROWS, *cell("UniPC", (41.0, 39.0), "m bf16")]
    assert find(rows, "m").settings == 3


def test_neighbours_that_are_far_apart_are_counted():
    assert find(ROWS, "m").wide == 2, "4 of 12 steps between the settings of NaviCache"


def test_the_command_prints_tables_and_writes_the_csv(tmp_path, capsys):
    rows = [{**row, "key": str(number), "group": "g"} for number, row in enumerate(ROWS)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main([str(tmp_path), "--csv", str(tmp_path / "claims.csv")]) == 0
    assert "| EasyCache | +1.75 (+1.50 to +2.00); 1 / 0 of 2 |" in capsys.readouterr().out
    with (tmp_path / "claims.csv").open() as file:
        assert [float(line["difference"]) for line in csv.DictReader(file) if line["model"] == "m"] == [1.75]
    with pytest.raises(SystemExit):
        main([str(tmp_path / "nothing")])
    assert "holds no rows.jsonl" in capsys.readouterr().err


def test_every_model_has_its_own_table():
    assert "+1.75" in format_markdown(compare_policies(ROWS), "m") and "-1.00" in format_markdown(
        compare_policies(ROWS), "n"
    )
