"""Settings files and qualities in plans: beside the plan, their choice in the rows, another model refused."""

import pytest
from diffusers import WanPipeline
from tests.cli.bench.test_command import PLAN
from tests.support.commands import refused
from tests.support.rows import rows_by_key
from tests.support.tuned import rewrite, tuned_file

from navicache.cli import main
from navicache.cli.bench.plan_setup import read_settings_files
from navicache.evaluation.bench.jobs import expand_plan, iterate_jobs
from navicache.evaluation.bench.plan_file import parse_plan, read_plan

HEAD, _, _ = PLAN.partition("settings = [")
SETTINGS = """settings = [
    { settings = "tuned.json" },
    { settings = "tuned.json", quality = "high" },
    { name = "word", quality = "high" },
]
"""


@pytest.fixture
def plan(tmp_path, monkeypatch, wan_folder):
    monkeypatch.setenv("NAVICACHE_HOME", str(tmp_path / "home"))
    (tmp_path / "prompts.txt").write_text("a red ball moves left\n")
    config = dict(WanPipeline.from_pretrained(wan_folder).transformer.config)
    tuned_file(tmp_path, "WanTransformer3DModel", config, steps=8)
    (tmp_path / "plan.toml").write_text(HEAD + SETTINGS)
    return tmp_path / "plan.toml"


def keys(path):
    plan = read_settings_files(read_plan(path), path.parent)
    return {job.setting.name: job.key for job in iterate_jobs(expand_plan(plan, ["a prompt"]))}


def test_a_plan_measures_them(plan, tmp_path):
    out = tmp_path / "out"
    assert main(["bench", str(plan), "--out", str(out)]) == 0
    found = {row["setting"]: row for row in rows_by_key(out).values()}
    assert {name: row["policy"] for name, row in found.items() if row["kind"] == "cached"} == {
        "tuned": "schedule",
        "tuned high": "schedule",
        "word": "inertial",
    }
    assert [found[name]["steps"]["computed"] for name in ("tuned", "tuned high", "word")] == [3, 5, 4]


def test_a_job_is_another_if_the_file_says_something_else(plan):
    before = keys(plan)
    rewrite(plan.parent / "tuned.json", about={"again": True})
    assert keys(plan) == before
    choice = {"policy": "schedule", "knobs": {"at": [0, 1, 2, 9]}, "speedup": 4.0, "scores": {}}
    rewrite(plan.parent / "tuned.json", choice=choice)
    changed = keys(plan)
    assert changed.pop("tuned") != before.pop("tuned") and changed == before


def test_another_model_is_a_note_and_a_refused_row(plan, tmp_path, capsys):
    rewrite(tmp_path / "tuned.json", model="OtherModel")
    assert main(["bench", str(plan), "--out", str(tmp_path / "out"), "--list"]) == 0
    printed = capsys.readouterr()
    assert "not possible, its rows will say so: tuned: these settings were found on a OtherModel" in printed.err


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('{ settings = "tuned.json", policy = "inertial" }', "leave out policy"),
        ('{ quality = "high", sweep = { speedup = [2.0] } }', "leave out sweep"),
        ('{ quality = "best" }', "lossless"),
        ('{ settings = "none.json" }', "cannot read the settings"),
        ('{ settings = "tuned.json", quality = "fast" }', "no setting was measured to be 'fast'"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_loaded(plan, tmp_path, capsys, entry, said):
    plan.write_text(HEAD + f"settings = [{entry}]\n")
    assert said in refused(capsys, "bench", plan, "--out", tmp_path / "out", "--list")


def test_a_quality_alone_is_its_speed_up():
    plan = parse_plan(HEAD + 'settings = [{ quality = "fast" }]\n')
    (setting,) = plan.settings
    assert (setting.name, setting.policy, dict(setting.knobs)) == ("fast", "inertial", {"speedup": 3.0})
