"""The table of auxiliary time: as the file of timed decisions says, beside the published rows."""

import json

from benchmarks.cost.decision_rows import FIGURES, DecisionRow, Median, read_csv, save_csv
from benchmarks.paper.overhead import overhead_section
from tests.cli.bench.test_command import PLAN
from tests.support.rows import rows_by_key

from navicache.cli import main
from navicache.models import Calibration

ROWS = [
    DecisionRow(
        *("GPU", "2.11", "pocket:wan", "17 frames of 128x128", "float32", method, policy, 60),
        Median(0.125, 0.1, 0.15),
        device,
        Median(0.5, 0.25, 0.75),
        seconds,
    )
    for method, policy, device, seconds in (
        ("every step", "static", None, 0.0),
        ("TeaCache", "teacache", Median(0.0625, 0.03125, 0.125), 12.5),
        ("Inertial", "inertial", Median(0.0625, None, None), None),
    )
]


def test_the_table_is_the_file(tmp_path):
    save_csv(tmp_path / "d.csv", ROWS)
    (table,) = overhead_section(read_csv(tmp_path / "d.csv")).tables
    for row, line in zip(ROWS, table.lines[: len(ROWS)], strict=True):
        words, numbers = line.cells[: table.words], line.cells[table.words :]
        assert [cell.text for cell in words] == [row.method, row.model, f"{row.size}, float32", "measured"]
        assert [cell.sort for cell in numbers[1:]] == [
            each and each.middle for each in (row.decision, row.device, row.after)
        ]
        assert numbers[0].sort == row.calibration_seconds
        for cell, name in zip(numbers[1:], FIGURES, strict=True):
            found = getattr(row, name)
            known = found is not None and found.low is not None
            assert cell.spread == (f"{found.low:.4f} … {found.high:.4f}" if known else "")


def test_published_rows_are_as_printed_and_name_no_model():
    (table,) = overhead_section(ROWS).tables
    assert len(table.headings) == len(table.lines[0].cells)
    published = [tuple(cell.text for cell in line.cells) for line in table.lines if line.origin == "published"]
    assert published == [
        ("TeaCache", "-", "-", "published", "15191", "14.2", "-", "-"),
        ("MagCache", "-", "-", "published", "217", "2.8", "-", "-"),
        ("EasyCache", "-", "-", "published", "0", "10.1", "-", "-"),
        ("NaviCache", "-", "-", "published", "0", "10.9", "-", "-"),
    ]
    assert "neither the model" in table.note


def test_a_calibrations_seconds_come_from_its_file_into_the_rows(tmp_path, monkeypatch):
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
