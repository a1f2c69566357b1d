"""Results read back from the folders of benchmarks."""

import json
import math

import pytest
from tests.support.rows import measured_row

from navicache.cli.report.page import PageOptions, build_page
from navicache.cli.report.results import FOLDER, read_results


def folder(place, *rows, **files):
    place.mkdir()
    (place / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    for name, text in files.items():
        (place / name.replace("_", ".")).write_text(text)
    return place


def test_rows_of_two_folders_stay_apart_and_one_given_twice_counts_once(tmp_path):
    both = [
        folder(tmp_path / name, measured_row("baseline", kind="baseline"), measured_row()) for name in ("one", "two")
    ]
    found = read_results([*both, both[0]])
    assert len(found.rows) == 4 and len({each["key"] for each in found.rows}) == 4
    assert len({each["group"] for each in found.rows}) == 2
    assert [each[FOLDER].name for each in found.rows] == ["one", "one", "two", "two"]


def test_the_name_is_the_first_plans_and_scores_are_in_percent(tmp_path):
    scores = json.dumps({"m/c/n": {"total": 0.7812}})
    found = read_results([folder(tmp_path / "one", measured_row(), plan_toml='name = "tiny"', vbench_json=scores)])
    assert found.name == "tiny"
    assert found.vbench_total(found.summaries[0]) == pytest.approx(78.12)
    assert read_results([folder(tmp_path / "two", measured_row())]).name == "benchmark"


def test_cpu_time_then_the_loop_tell_how_fast_where_all_have_it(tmp_path):
    timed = [measured_row("baseline", kind="baseline", seconds={"cpu": 4.0}), measured_row(seconds={"cpu": 2.0})]
    assert read_results([folder(tmp_path / "one", *timed)]).speed_figure == "cpu_speedup"
    assert read_results([folder(tmp_path / "two", *timed, measured_row("E"))]).speed_figure == "loop_speedup"
    without = measured_row("E", seconds={"loop": None})
    assert read_results([folder(tmp_path / "three", *timed, without)]).speed_figure == "speedup"


def test_what_was_refused_is_told_and_not_counted(tmp_path):
    refused = {"key": "r", "group": "g", "kind": "refused", "setting": "pab", "model": "toy", "reason": "no blocks"}
    found = read_results([folder(tmp_path / "one", measured_row(), refused)])
    assert len(found.rows) == 1 and list(found.refused) == ["pab on toy: no blocks"]
    with pytest.raises(ValueError, match="two holds no finished job yet"):
        read_results([folder(tmp_path / "two", refused)])


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"holds no rows\.jsonl: give a folder that `navicache bench` wrote"):
        read_results([tmp_path])


@pytest.mark.parametrize("name", ["group", "kind", "model", "condition", "setting", "policy", "steps", "quality"])
def test_a_row_that_lacks_a_field_is_named_with_the_field(tmp_path, name):
    row = {key: value for key, value in measured_row().items() if key != name}
    with pytest.raises(ValueError, match=rf"rows\.jsonl: row N g lacks {name}: remove its line"):
        read_results([folder(tmp_path / "one", row)])


def test_so_is_what_a_field_lacks_and_what_a_page_needs(tmp_path):
    with pytest.raises(ValueError, match=r"lacks steps\.total, steps\.computed"):
        read_results([folder(tmp_path / "one", {**measured_row(), "steps": {}})])
    found = read_results([folder(tmp_path / "two", measured_row())])
    with pytest.raises(ValueError, match=r"row N g-[0-9a-f]+ lacks prompt, seed, series, swept, video, knobs, machine"):
        build_page(found, PageOptions("T", 1, "auto", tmp_path))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("group", "kind", "model", "setting", "prompt") for value in (None, 3, ["x"])),
        *((name, value) for name in ("steps", "machine", "knobs", "quality", "seconds") for value in (5, "x", [1])),
        *(("steps.total", value) for value in (0, "x", [], 10**400, math.nan, math.inf)),
        *(("seconds.call", value) for value in (0, 0.0, "x", {}, 10**400, True)),
        *(("quality.psnr", value) for value in ("x", [1], 10**400, math.nan)),
        *(("harness_seconds", "x"), ("peak_memory", []), ("seed", {}), ("series", ["x"]), ("steps", None)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_row_with_another_kind_of_value_is_named_with_the_field(tmp_path, name, value):
    row = measured_row(psnr=30.0, prompt="p", seed=0, series="N", machine={}, knobs={})
    whole, _, part = name.partition(".")
    row[whole] = {**row[whole], part: value} if part else value
    with pytest.raises(ValueError, match=rf"rows\.jsonl: row .* has no sensible {name}: remove its line"):
        read_results([folder(tmp_path / "one", row)])


@pytest.mark.parametrize("line", ["[1]", '{"key": []}', "[" * 99999], ids=["list", "key", "deep"])
def test_a_line_that_is_no_row_is_named(tmp_path, line):
    place = folder(tmp_path / "one", measured_row())
    with (place / "rows.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(ValueError, match=r"line 2 of .*rows\.jsonl is damaged"):
        read_results([place])


def test_a_plan_without_psnr_still_has_a_page(tmp_path):
    own = {"prompt": "p", "seed": 0, "series": "N", "swept": {}, "knobs": {}, "video": None, "versions": {}}
    machine = {"machine": {"name": "m", "device": "d", "threads": 1}}
    rows = [measured_row("baseline", kind="baseline", **own, **machine), measured_row(**own, **machine)]
    rows[1]["quality"] = {"ssim": 0.9}
    page = build_page(read_results([folder(tmp_path / "one", *rows)]), PageOptions("T", 1, "auto", tmp_path))
    assert page.title == "T"


@pytest.mark.parametrize("name", ["video", "trace"])
def test_a_file_outside_of_the_folder_is_refused(tmp_path, name):
    (tmp_path / "secret.mp4").write_text("mine")
    for number, path in enumerate([str(tmp_path / "secret.mp4"), "../secret.mp4", "way.mp4"]):
        place = folder(tmp_path / f"r{number}", {**measured_row(), name: path})
        (place / "way.mp4").symlink_to(tmp_path / "secret.mp4")
        with pytest.raises(ValueError, match=r"row N g names .*, which is outside of the folder"):
            read_results([place])


def test_a_file_that_is_gone_is_no_file(tmp_path):
    place = folder(tmp_path / "one", {**measured_row(), "video": "v.mp4", "trace": "t.json"})
    (place / "t.json").write_text("{}")
    (row,) = read_results([place]).rows
    assert row["video"] is None and row["trace"] == "t.json"
