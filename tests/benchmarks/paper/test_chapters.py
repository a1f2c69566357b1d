"""Several plans as chapters of one page, by a clock whose plain runs stand beside the cached ones."""

import csv
import re

import pytest
from benchmarks.cost.decision_rows import save_csv
from benchmarks.paper.decisions import SettingAccuracy, name_most_accurate
from benchmarks.paper.page import main as page_main
from benchmarks.paper.published import OVERHEAD
from tests.benchmarks.paper.test_overhead import ROWS
from tests.support.commands import refused
from tests.support.rows import rows_by_key

from navicache.cli import main
from navicache.evaluation.intervals import MeanEstimate

PLAN = """
name = "NAME"
prompts = { source = "file", file = "prompts.txt" }
clock = "beside"
videos = 0
metrics = ["psnr"]
models = [
    { name = "one", model = "MODEL", call = { num_inference_steps = 6, num_frames = 5, height = 32, width = 48 } },
    { name = "two", model = "MODEL", call = { num_inference_steps = 6, num_frames = 5, height = 32, width = 48 } },
]
settings = [
    { name = "S", policy = "static", knobs = { interval = 2.0 } },
    { name = "half", policy = "none", call = { num_inference_steps = 3 } },
    { name = "E", policy = "easycache", knobs = { align_steps = 2, threshold = 0.5 } },
    { name = "N", policy = "navicache", knobs = { align_steps = 2, threshold = 0.5 } },
]
accuracy = { prompts = 1, settings = ["E", "N"] }
chapter = { title = "TITLE", text = "Told of NAME.", shows = ["SHOWN", "frequency"] }
"""


def filled(words):
    return re.sub("|".join(words), lambda found: words[found[0]], PLAN)


@pytest.fixture(scope="module")
def studies(tmp_path_factory, wan_folder):
    folder = tmp_path_factory.mktemp("studies")
    (folder / "prompts.txt").write_text("a red ball\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NAVICACHE_HOME", str(folder / "home"))
        for name, title, shown in (("first", "Table 1", "table"), ("second", "Figure 1", "accuracy")):
            words = {"NAME": name, "MODEL": str(wan_folder), "TITLE": title, "SHOWN": shown}
            (folder / f"{name}.toml").write_text(filled(words))
            assert main(["bench", str(folder / f"{name}.toml"), "--out", str(folder / name)]) == 0
    return folder


def test_every_cached_run_has_a_plain_one_beside_it(studies):
    rows = rows_by_key(studies / "first").values()
    for row in rows:
        assert (row["plain_seconds"] is not None) == (row["kind"] == "cached")
    beside = [row["plain_seconds"] for row in rows if row["kind"] == "cached"]
    assert len({each["loop"] for each in beside}) == len(beside), "each has its own"
    assert all(0 < each["loop"] < each["call"] and each["cpu"] > 0 for each in beside)


def test_the_page_tells_each_plan_as_a_chapter_and_shows_what_it_names(studies):
    page, figures = studies / "page.html", studies / "figures.csv"
    names = [str(studies / "first"), str(studies / "second")]
    assert page_main([*names, "--title", "T", "--out", str(page), "--figures", str(figures)]) == 0
    text = page.read_text(encoding="utf-8")
    assert re.findall(r'<section id="([^"]+)"', text) == [
        *("table-1", "table-1-table", "table-1-frequency"),
        *("figure-1", "figure-1-frequency", "figure-1-accuracy"),
    ]
    assert "Told of first." in text and "2 studies on one, two" in text
    nav = re.search(r"<nav>(.*?)</nav>", text, re.DOTALL)[1]
    assert nav.count("<a ") == 2, "chapters alone are in the list"
    inner = re.findall(r'\bid="([^"]+)"', text)
    assert len(inner) == len(set(inner)), "pictures of two chapters do not share names"
    with figures.open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 2 * 2 * 5 and {line["plan"] for line in lines} == {"first", "second"}
    static = next(line for line in lines if line["setting"] == "S")
    by_setting = {line["setting"]: line["threshold"] for line in lines}
    assert by_setting["N"] == "0.5" and by_setting["S"] == ""
    assert float(static["allowed"]) == pytest.approx(6 / float(static["computed"])) and static["lpips"] == ""


def test_decision_accuracy_is_written_beside_all_figures(studies):
    names = [str(studies / "first"), str(studies / "second")]
    page_main([*names, "--out", str(studies / "page.html"), "--figures", str(studies / "figures.csv")])
    with (studies / "figure1.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert {(line["plan"], line["model"], line["setting"]) for line in lines} == {
        (plan, model, setting) for plan in ("first", "second") for model in ("one", "two") for setting in ("E", "N")
    }
    assert all(float(line["mae"]) <= float(line["rmse"]) and int(line["points"]) > 0 for line in lines)
    assert {line["mae_low"] for line in lines} == {""}, "one prompt has no interval"


def test_a_section_that_no_report_has_is_refused(studies, tmp_path, capsys):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rows.jsonl").write_bytes((studies / name / "rows.jsonl").read_bytes())
        plan = (studies / name / "plan.toml").read_text()
        (tmp_path / name / "plan.toml").write_text(plan.replace('"frequency"', '"frequencies"'))
    with pytest.raises(SystemExit) as end:
        page_main([str(tmp_path / "first"), str(tmp_path / "second"), "--out", str(tmp_path / "page.html")])
    assert end.value.code == 2
    message = capsys.readouterr().err
    assert "chapter.shows of 'first' must be one of" in message and "'frequency'" in message
    assert not (tmp_path / "page.html").exists()


def test_one_plan_alone_is_a_page_of_its_own(studies):
    save_csv(studies / "d.csv", ROWS)
    more = ["--decisions", str(studies / "d.csv")]
    assert page_main([str(studies / "first"), *more, "--out", str(studies / "alone.html")]) == 0
    page = (studies / "alone.html").read_text(encoding="utf-8")
    assert '<section id="table">' in page
    for title in ("Which steps", "Ratio", "Decision", "Auxiliary time"):
        assert title in page
    assert page.count('class="published"') >= len(OVERHEAD)


def test_who_is_truest_is_said_whichever_way_it_falls():
    def found(setting, mae, pearson, about="change of the output"):
        figures = {"mae": MeanEstimate(mae, None, None, 1), "pearson": MeanEstimate(pearson, None, None, 1)}
        return SettingAccuracy("wan", setting, "navicache", 0.1, about, (), figures)

    own_error = found("I", 0.01, 1.0, "error of the step")
    said = name_most_accurate([found("E", 0.1, 0.8), found("N", 0.2, 0.9), own_error])
    assert "the truest is E by MAE and N by correlation on wan." in said
    assert name_most_accurate([own_error]) == ""


def test_batches_have_no_clock_beside_them(tmp_path, capsys):
    (tmp_path / "plan.toml").write_text(PLAN.replace('clock = "beside"', 'clock = "beside"\nbatch = 2'))
    assert "needs batch = 1" in refused(capsys, "bench", tmp_path / "plan.toml")
