"""Policies that were measured later join a committed table, and its regrets follow."""

import json

import pytest
from benchmarks.quality.add_series import (
    CsvRow,
    add_series,
    compare_known,
    format_regrets,
    main,
    read_rows,
    read_series,
    write_rows,
)
from tests.evaluation.bench.curves import both, plain

from navicache.evaluation.bench.equal_steps import CurvePoint, MeasuredCell, QualityCurve

FAMILY = ("model", "condition", "steps", "prompts", "budget", "series", "policy", "role")
FAMILY += ("computed", "psnr", "median", "worst", "spread", "gap", "regret")
LEVELS = ("model", "setting", "share", "computed", "series", "prompts", "psnr", "median", "worst", "regret")


def family(series: str, psnr: str, regret: str = "0", prompts: str = "16", budget: str = "1/2") -> CsvRow:
    values = ["wan", "UniPC", "50", prompts, budget, series, "p", "rival", "25", psnr, psnr, psnr, "0", "0", regret]
    return dict(zip(FAMILY, values, strict=True))


def levels(series: str, psnr: str, regret: str) -> CsvRow:
    return dict(zip(LEVELS, ["wan", "UniPC", "1/2", "25", series, "8", psnr, psnr, psnr, regret], strict=True))


TABLE = [family("Inertial", "50"), family("NaviCache", "40.5", "9.5")]


def test_a_new_best_adds_to_every_regret_and_known_series_stay():
    new = [family("Inertial", "50.1"), family("HiCache", "52.25"), family("Spectrum", "48")]
    whole = add_series(TABLE, new)
    assert [(row["series"], row["psnr"], row["regret"]) for row in whole] == [
        ("Inertial", "50", "2.25"),
        ("NaviCache", "40.5", "11.75"),
        ("HiCache", "52.25", "0"),
        ("Spectrum", "48", "4.25"),
    ]
    assert compare_known(TABLE, new) == {"Inertial": [pytest.approx(0.1)]}
    assert "| NaviCache | 11.8, 11.8 (1) |" in format_regrets(TABLE, whole)


def test_a_worse_one_changes_no_other_row():
    whole = add_series(TABLE, [family("Spectrum", "48", "77"), family("Spectrum", "30", budget="1/4")])
    assert whole[:2] == TABLE and [row["regret"] for row in whole[2:]] == ["2"]
    assert format_regrets(TABLE, whole).splitlines()[2:] == ["| Spectrum | 2.0, 2.0 (1) |"]


def test_the_other_table_has_other_columns_names_and_digits():
    table = [levels("inertial", "50.0", "0.0")]
    (_, added) = add_series(table, [family("HiCache lite", "48.56", prompts="8")])
    assert added == levels("hicache lite", "48.6", "1.4")


def test_other_prompts_are_refused():
    with pytest.raises(ValueError, match="wan UniPC 1/2: 4 prompts, but the table has 16"):
        add_series(TABLE, [family("Spectrum", "48", prompts="4")])


def test_a_series_is_read_at_the_computed_steps_of_the_cell():
    points = (CurvePoint(16, 30.0, 30.0, 30.0, 0), CurvePoint(18, 34.0, 35.0, 31.0, 0))
    cell = MeasuredCell("wan", "UniPC", 50, 8, "inertial", (QualityCurve("Spectrum", "spectrum", "rival", points),))
    (row,) = read_series([{**levels("inertial", "50.0", "0.0"), "share": "1/3", "computed": "17"}], [cell])
    assert (row["psnr"], row["median"], row["worst"], row["gap"]) == ("32", "32.5", "30.5", "2")
    assert read_series([levels("inertial", "50.0", "0.0")], [cell]) == [], "25 steps are beyond its settings"


def test_from_results_to_file(tmp_path, capsys):
    with (tmp_path / "table.csv").open("w", encoding="utf-8", newline="") as file:
        write_rows(file, [family("Inertial", "50", prompts="2"), family("NaviCache", "40.5", "9.5", prompts="2")])
    place = {"cell": ("wan", "UniPC"), "total": 50}
    rows = [*plain(**place), *both("Inertial", (25, 49.0), (25, 50.0), policy="inertial", **place)]
    rows += both("Spectrum", (25, 47.0), (25, 49.0), policy="spectrum", **place)
    lines = [json.dumps({**row, "key": str(number), "group": "g"}) + "\n" for number, row in enumerate(rows)]
    (tmp_path / "rows.jsonl").write_text("".join(lines), encoding="utf-8")
    out = tmp_path / "build" / "table.csv"
    assert main([str(tmp_path / "table.csv"), str(tmp_path), "--out", str(out)]) == 0
    assert [(row["series"], row["psnr"], row["regret"]) for row in read_rows(out)][2:] == [("Spectrum", "48", "2")]
    printed = capsys.readouterr().out
    assert "Inertial: -0.50 dB from the table, 0.50 at most, 1 cells" in printed and "1 rows more" in printed
