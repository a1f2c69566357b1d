"""Before the first job: everything that is missing or wrong, at once, and nothing is loaded or written."""

import errno
import json
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.cli.bench.test_command import PLAN
from tests.support.commands import refused
from tests.support.rows import rows_by_key

from navicache.cli import main
from navicache.cli.bench.model_check import check_model, list_parts_without_weights
from navicache.cli.bench.preflight import preflight
from navicache.cli.bench.result_files import ResultFiles
from navicache.evaluation.bench.jobs import expand_plan, iterate_jobs
from navicache.evaluation.bench.plan import PlanModel
from navicache.evaluation.bench.plan_file import parse_plan

DISK = "navicache.cli.bench.disk_space.shutil.disk_usage"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NAVICACHE_HOME", str(tmp_path / "home"))
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "prompts.txt").write_text("a red ball moves left\na blue cat\n")
    return tmp_path


@pytest.fixture
def unloaded(monkeypatch):
    monkeypatch.setattr("navicache.cli.bench.worker.load_pipeline", lambda _: pytest.fail("loaded"))


def written(folder, text):
    (folder / "plans" / "plan.toml").write_text(text)
    return folder / "plans" / "plan.toml"


def bench(capsys, folder, text, *options):
    return refused(capsys, "bench", written(folder, text), "--out", folder / "out", *options)


BROKEN = (
    PLAN.replace(
        "models = [", 'models = [{ name = "gone", model = "no-such-folder" }, { name = "b", model = "{bare}" }, '
    )
    .replace('"prompts.txt"', '"lost.txt"')
    .replace("settings = [", 'settings = [{ policy = "teacache", calibration = "gone.json", models = ["tiny"] }, ', 1)
    .replace('name = "small", ', 'name = "small", scheduler = "UniPC", ')
)
ADVICE = (
    "lost.txt: prompts.file is taken from the plan's folder",
    "model 'gone': no folder no-such-folder: give 'pocket'",
    "lacks weights of transformer: copy or convert the model again",
    "model 'tiny': setting 'teacache': cannot read the calibration gone.json",
    "model 'tiny': condition 'small': diffusers has no scheduler 'UniPC'",
    "and 1 MB are free there: make room",
)


def broken(folder, wan_folder, monkeypatch):
    bare = shutil.copytree(wan_folder, folder / "bare")
    for path in (bare / "transformer").glob("*.safetensors"):
        path.unlink()
    monkeypatch.setattr(DISK, lambda _: SimpleNamespace(free=1_000_000))
    return BROKEN.replace("{bare}", str(bare)).replace("num_frames = 5, height = 32", "num_frames = 81, height = 480")


@pytest.mark.usefixtures("unloaded")
def test_all_that_is_wrong_is_listed_at_once_and_nothing_is_written(folder, wan_folder, monkeypatch, capsys):
    message = bench(capsys, folder, broken(folder, wan_folder, monkeypatch))
    for advice in ADVICE:
        assert sum(advice in line for line in message.splitlines()) >= 1, advice
    assert "things are wrong, and nothing was run" in message.splitlines()[0]
    assert not (folder / "out").exists()


@pytest.mark.usefixtures("unloaded")
def test_the_list_says_the_same_and_ends(folder, wan_folder, monkeypatch, capsys):
    text = broken(folder, wan_folder, monkeypatch).replace("lost.txt", "prompts.txt")
    assert main(["bench", str(written(folder, text)), "--out", str(folder / "out"), "--list"]) == 2
    said = capsys.readouterr()
    assert "baseline gone/small/baseline" in said.out and said.out.endswith("calls\n")
    for advice in ADVICE[1:]:
        assert sum(line.startswith("wrong: ") and advice in line for line in said.err.splitlines()) >= 1, advice
    assert not (folder / "out").exists()


@pytest.mark.usefixtures("unloaded")
@pytest.mark.parametrize(
    ("old", "new", "advice"),
    [
        ("num_frames = 5", "num_frames = 6", "condition 'small': --frames must be 4k+1, got 6: 5 or 9 would do"),
        ("num_frames = 5", "frames = 5", "WanPipeline takes no frames"),
        ('model = "pocket"', 'model = "pocket:wand"', "the pocket has no model 'wand'"),
        ('model = "pocket"', 'model = "pocket", device = "tpu"', "unknown device 'tpu'"),
        ("seeds = [3]", "seads = [3]", "unknown key 'seads'; allowed: name"),
    ],
)
def test_one_mistake_is_one_line(folder, capsys, old, new, advice):
    message = bench(capsys, folder, PLAN.replace(old, new))
    assert advice in message and len(message.splitlines()) == 1
    assert not (folder / "out").exists()


@pytest.mark.usefixtures("unloaded")
def test_words_the_embedded_model_never_saw_are_named_before(folder, capsys):
    (folder / "plans" / "prompts.txt").write_text("a red zebra\n")
    assert "the pocket does not know: 'zebra'" in bench(capsys, folder, PLAN)


@pytest.mark.usefixtures("unloaded")
def test_only_what_was_chosen_is_looked_at(folder, capsys):
    text = PLAN.replace("models = [", 'models = [{ name = "gone", model = "no-such-folder" }, ')
    options = ["bench", str(written(folder, text)), "--out", str(folder / "out"), "--list"]
    assert main([*options, "--only", "models=tiny"]) == 0
    assert main([*options, "--only", "models=gone"]) == 2


@pytest.mark.usefixtures("unloaded")
def test_what_the_model_cannot_take_is_a_note(folder, capsys):
    text = PLAN.replace('{ name = "half"', '{ name = "deep", policy = "dbcache" },\n    { name = "half"')
    assert main(["bench", str(written(folder, text)), "--out", str(folder / "out"), "--list"]) == 0
    assert "note: model 'tiny': not possible, its rows will say so: deep: " in capsys.readouterr().err


def test_a_disk_that_fills_up_is_said_and_nothing_is_lost(folder, monkeypatch, capsys):
    write = ResultFiles.write

    def full(shelf, job, *rest):
        if job.prompt_index:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(shelf, job, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(ResultFiles, "write", full)
        said = bench(capsys, folder, PLAN)
    assert "is full: make room, and run the same command again to go on" in said
    before = rows_by_key(folder / "out")
    assert len(before) == 7
    assert main(["bench", str(folder / "plans" / "plan.toml"), "--out", str(folder / "out")]) == 0
    after = rows_by_key(folder / "out")
    assert len(after) == 12 and {key: after[key] for key in before} == before


def test_a_pipeline_that_comes_with_its_model_and_a_shift_that_no_scheduler_takes_are_wrong(wan_folder, tmp_path):
    place = shutil.copytree(wan_folder, tmp_path / "theirs")
    index = json.loads((place / "model_index.json").read_text())
    del index["scheduler"]
    (place / "model_index.json").write_text(json.dumps({**index, "_class_name": "TheirPipeline"}))
    theirs = PlanModel(name="theirs", model=str(place))
    (line,) = check_model(theirs, []).problems
    assert "has no pipeline 'TheirPipeline': a newer one may, or it is custom code" in line
    lines = check_model(replace(theirs, shift=5.0), []).problems
    assert any("TheirPipeline takes no shift" in line for line in lines)


def test_a_sharded_part_needs_all_its_shards(tmp_path):
    for name in ("whole", "cut", "scheduler"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.safetensors").write_text("")
    for name in ("whole", "cut"):
        (tmp_path / name / "config.json").write_text("{}")
    shards = {"weight_map": {"x": "a.safetensors", "y": "b.safetensors"}}
    (tmp_path / "cut" / "model.safetensors.index.json").write_text(json.dumps(shards))
    assert list_parts_without_weights(tmp_path, ["whole", "cut", "scheduler", "gone"]) == ["cut"]


def test_finished_jobs_need_nothing(tmp_path, monkeypatch):
    plan = parse_plan(PLAN.replace('model = "pocket"', 'model = "no-such-folder"'))
    groups = expand_plan(plan, ["a"])
    lines = "".join(json.dumps({"key": job.key}) + "\n" for job in iterate_jobs(groups))
    assert preflight(plan, groups, tmp_path).problems
    (tmp_path / "rows.jsonl").write_text(lines)
    assert preflight(plan, groups, tmp_path).problems == ()
