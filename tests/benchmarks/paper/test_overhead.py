"""The table of auxiliary time: seconds of calibrations as their files say them, and no zero that nobody measured."""

import json

import pytest
from benchmarks.paper.insight import NOT_RECORDED, calibration_cell, overhead_section
from tests.cli.bench.test_command import PLAN
from tests.evaluation.bench.test_plans import PLANS
from tests.support.rows import measured_row, rows_by_key

from navicache.cli import main
from navicache.cli.report.results import BenchResults, read_results
from navicache.evaluation.bench.plan_file import read_plan
from navicache.models import Calibration


@pytest.mark.parametrize(
    ("policy", "more", "shown"),
    [
        ("navicache", {}, "0"),
        ("teacache", {"calibration_seconds": 40.06}, "40.1"),
        ("teacache", {"calibration_seconds": None}, NOT_RECORDED),
        ("magcache", {}, NOT_RECORDED),
        ("magcache", {"calibration_seconds": 0.04}, "0.0"),
    ],
)
def test_zero_is_said_only_of_a_policy_that_needs_none(policy, more, shown):
    assert calibration_cell({"policy": policy, **more}).text == shown


def test_published_rows_are_as_printed_and_name_no_model():
    rows = [measured_row("baseline", kind="baseline", computed=10), measured_row("T", policy="teacache", computed=10)]
    (table,) = overhead_section(BenchResults(rows, {}, [])).tables
    assert table.headings[3:] == ("offline calibration (s)", "skipping justification (s)")
    published = [tuple(cell.text for cell in line.cells) for line in table.lines if line.cells[2].text == "published"]
    assert published == [
        ("TeaCache", "-", "published", "15191", "0.0142"),
        ("MagCache", "-", "published", "217", "0.0028"),
        ("EasyCache", "-", "published", "0", "0.0101"),
        ("NaviCache", "-", "published", "0", "0.0109"),
    ]
    (own,) = [line for line in table.lines if line.cells[2].text == "measured"]
    assert own.cells[3].text == NOT_RECORDED
    assert "neither the model" in table.note


def test_the_seconds_come_from_the_file_into_the_rows_and_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("NAVICACHE_HOME", str(tmp_path / "home"))
    (tmp_path / "prompts.txt").write_text("a cat\n")
    knobs = {"coefficients": [0.0, 0.0, 0.0, 1.0, 0.0], "signal": "modulated"}
    about = {"timed": {"seconds": 12.5}, "untimed": {}}
    for name, facts in about.items():
        Calibration("teacache", "WanTransformer3DModel", knobs, {}, facts).save(tmp_path / f"{name}.json")
    entry = '{{ name = "{0}", policy = "teacache", knobs = {{ threshold = 0.0 }}, calibration = "{1}/{0}.json" }}'
    settings = ", ".join(entry.format(name, tmp_path) for name in about)
    (tmp_path / "plan.toml").write_text(PLAN.replace("settings = [", f"settings = [{settings}, ", 1))
    assert main(["bench", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "out")]) == 0
    rows = {row["setting"]: row for row in rows_by_key(tmp_path / "out").values() if row["kind"] == "cached"}
    assert (rows["timed"]["calibration_seconds"], rows["untimed"]["calibration_seconds"]) == (12.5, None)
    assert "calibration_seconds" not in json.dumps(rows["exact"])
    (table,) = overhead_section(read_results([tmp_path / "out"])).tables
    shown = {line.cells[0].text: line.cells[3].text for line in table.lines}
    assert (shown["timed"], shown["untimed"], shown["exact"]) == ("12.5", NOT_RECORDED, "0")


@pytest.mark.parametrize("path", ["overhead.toml", "pocket/overhead.toml"])
def test_the_plans_have_all_four_policies_of_the_papers_table(path):
    policies = {setting.policy for setting in read_plan(PLANS / path).settings}
    assert {"teacache", "magcache", "easycache", "navicache"} <= policies
