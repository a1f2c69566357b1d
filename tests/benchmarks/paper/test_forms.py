"""Forms at equal computed steps, on rows whose figures are mental arithmetic."""

import csv
import json

import pytest
from benchmarks.paper.forms import compare_forms, format_markdown, main
from tests.evaluation.bench.curves import both, plain

from navicache.evaluation.bench.equal_steps import compare_at_budgets, read_cells

# of 12 steps: half is 6; a third is 4, which the official form does not reach
ROWS = [
    *plain(),
    *both("N 1", (8, 48.0), (6, 44.0), series="NaviCache"),  # 7 steps on average
    *both("N 2", (6, 38.0), (4, 34.0), series="NaviCache"),  # 5
    *both("D 1", (8, 50.0), (8, 40.0), series="drift"),
    *both("D 2", (4, 30.0), (4, 30.0), series="drift"),
    *both("E 1", (6, 45.0), (6, 41.0), series="exact"),
    *both("E 2", (4, 30.0), (4, 31.0), series="exact"),
    *both("E 3", (4, 20.0), (4, 90.0), series="exact"),  # the same steps, on average better: it counts
]


def find(rows, form, budget):
    (found,) = [each for each in compare_forms(rows) if (each.form, each.budget) == (form, budget)]
    return found


def test_each_prompt_is_read_between_the_same_settings():
    official = find(ROWS, "NaviCache", "1/2")
    assert (official.psnr, official.median, official.worst) == (41.0, 41.0, 39.0)  # 43 and 39, half way
    assert (official.difference, official.difference_low, official.difference_worst) == (0.0, 0.0, 0.0)
    drift = find(ROWS, "drift", "1/2")  # 40 and 35
    assert (drift.psnr, drift.worst, drift.gap) == (37.5, 35.0, 4.0)
    assert (drift.difference, drift.difference_median, drift.difference_worst) == (-3.5, -3.5, -4.0)
    assert drift.difference_low >= -4.0 and drift.difference_high <= -3.0


def test_of_settings_with_equal_steps_the_better_one_counts_for_all_prompts():
    exact = find(ROWS, "exact", "17/50")
    assert exact.psnr == 55.0 and exact.worst == 20.0
    assert exact.difference is None, "the official form does not reach a third"


def test_means_are_those_of_the_summary():
    expected = {
        (name, str(standing.budget)): point.psnr
        for standing in compare_at_budgets(read_cells(ROWS))
        for name, point in standing.points_by_series.items()
    }
    assert {(each.form, each.budget): each.psnr for each in compare_forms(ROWS)} == pytest.approx(expected)


def test_an_unfinished_setting_does_not_count():
    assert {each.form for each in compare_forms(ROWS[:-1])} == {"NaviCache", "drift", "exact"}
    assert find(ROWS[:-1], "exact", "17/50").psnr == 30.5
    assert compare_forms([*plain(), *ROWS]) == compare_forms(ROWS), "every part of a plan has its baselines"


def test_the_command_prints_a_table_and_writes_the_csv(tmp_path, capsys):
    rows = [{**row, "key": str(number), "group": "g"} for number, row in enumerate(ROWS)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main([str(tmp_path), "--csv", str(tmp_path / "forms.csv")]) == 0
    assert "| drift | 37.5 (-3.50, -4.00 to -3.00) |" in capsys.readouterr().out
    with (tmp_path / "forms.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(compare_forms(ROWS))
    assert {line["difference"] for line in lines if line["form"] == "exact" and line["budget"] == "17/50"} == {""}
    with pytest.raises(SystemExit):
        main([str(tmp_path / "nothing")])
    assert "holds no rows.jsonl" in capsys.readouterr().err


def test_a_table_has_every_form_once():
    text = format_markdown(compare_forms(ROWS))
    assert [text.count(f"| {form} |") for form in ("NaviCache", "drift", "exact")] == [1, 1, 1]
