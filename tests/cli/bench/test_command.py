"""`navicache bench` on a tiny pipeline: rows, files, resumption."""

import json
import tomllib
from pathlib import Path

import pytest
from tests.cli.common import decoded
from tests.support.rows import rows_by_key

from navicache import Trace
from navicache.cli import main
from navicache.cli.bench.worker import PipelineWorker

PLANS = Path(__file__).parents[3] / "plans"
PLAN = """
name = "tiny"
seeds = [3]
metrics = ["psnr"]
prompts = { source = "file", file = "prompts.txt" }
conditions = [{ name = "small", call = { num_frames = 5, height = 32, width = 48 } }]
models = [{ name = "tiny", model = "pocket", fps = 4, call = { num_inference_steps = 8 } }]
settings = [
    { name = "static", policy = "static", sweep = { interval = [2.0, 3.0] } },
    { name = "half", policy = "none", call = { num_inference_steps = 4 } },
    { name = "exact", policy = "navicache", knobs = { threshold = 0.0 } },
]
accuracy = { prompts = 1, settings = ["exact"] }
"""


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.setenv("NAVICACHE_HOME", str(tmp_path / "home"))
    (tmp_path / "prompts.txt").write_text("a red ball moves left\na blue cat\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def test_bench_measures_resumes_and_does_nothing_twice(plan, tmp_path, capsys, monkeypatch):
    out = tmp_path / "out"
    assert main(["bench", str(plan), "--out", str(out)]) == 0
    rows = rows_by_key(out)
    assert len(rows) == 2 * 5 + 2
    printed = capsys.readouterr()
    assert "12/12" in printed.err and "static interval=2.0" in printed.out

    named = {(row["kind"], row["setting"], row["prompt_index"]): row for row in rows.values()}
    plain, fast = named["baseline", "baseline", 0], named["cached", "static interval=3.0", 0]
    assert plain["quality"] is None and plain["steps"] == {"total": 8, "computed": 8, "partial": 0}
    assert fast["steps"]["computed"] == 4 and 5 < fast["quality"]["psnr"] < 60
    assert named["cached", "half", 0]["steps"] == {"total": 4, "computed": 4, "partial": 0}
    assert named["cached", "exact", 1]["quality"]["psnr"] == 100, "nothing reused is the baseline to the bit"
    assert all(0 < row["seconds"]["loop"] <= row["seconds"]["call"] for row in rows.values())
    assert all(0 < row["seconds"]["cpu"] < 10 * row["seconds"]["call"] for row in rows.values())
    assert all(0 <= row["scoring_seconds"] <= row["harness_seconds"] for row in rows.values())
    assert all(row["peak_memory"] is None or row["peak_memory"] > 1e7 for row in rows.values())

    assert fast["video"] == "videos/tiny/small/static-interval-3.0/a red ball moves left-0.mp4"
    assert decoded(out / fast["video"]).shape == (5, 32, 48, 3)
    assert Trace.load(out / fast["trace"]).runs[0].computed == 4
    shadow = Trace.load(out / named["shadow", "every step", 0]["trace"]).runs[0]
    assert all(step.output_change for step in shadow.leading[1:]), "the true change of every step but the first"
    assert not list(out.rglob("*.npy"))

    lines = (out / "rows.jsonl").read_text().splitlines(keepends=True)
    (out / "rows.jsonl").write_text("".join(lines[:2]) + lines[2][:30])
    called = []
    work = PipelineWorker.__call__

    def counted(self, batch):
        called.extend(job.key for job in batch)
        return work(self, batch)

    monkeypatch.setattr(PipelineWorker, "__call__", counted)
    assert main(["bench", str(plan), "--out", str(out)]) == 0
    again = rows_by_key(out)
    assert len(called) == len(set(called)) == 10
    same = ("setting", "prompt", "quality", "steps", "video", "trace", "knobs", "arguments")
    assert {key: [row[name] for name in same] for key, row in again.items()} == {
        key: [row[name] for name in same] for key, row in rows.items()
    }
    assert main(["bench", str(plan), "--out", str(out), "--prompts", "1"]) == 0
    assert len(called) == 10


def test_list_says_what_would_be_measured(plan, capsys):
    assert main(["bench", str(plan), "--list"]) == 0
    listed = capsys.readouterr().out
    assert listed.count("baseline tiny/small/baseline") == 2 and listed.endswith("12 jobs in 12 calls\n")


@pytest.mark.parametrize(
    ("old", "new", "advice"),
    [
        ('file = "prompts.txt"', 'file = "../x.txt"', "leads out of the plan's folder"),
        ('file = "prompts.txt"', 'count = 9, file = "prompts.txt"', "9 prompts are asked for, and there are 2"),
        ('file = "prompts.txt"', "count = 1", "name it with prompts.file"),
        ('policy = "none"', 'policy = "nothing"', "unknown policy 'nothing'"),
        ("num_frames = 5", "num_frames = 6", "--frames must be 4k+1"),
    ],
)
def test_wrong_plans_end_with_advice(plan, tmp_path, capsys, old, new, advice):
    plan.write_text(PLAN.replace(old, new))
    with pytest.raises(SystemExit) as end:
        main(["bench", str(plan), "--out", str(tmp_path / "out")])
    assert end.value.code == 2
    assert advice in capsys.readouterr().err


def as_toml(value) -> str:
    pairs = value.items() if isinstance(value, dict) else ()
    return "{ " + ", ".join(f"{k} = {as_toml(v)}" for k, v in pairs) + " }" if pairs else json.dumps(value)


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # of diffusers' DPM++
def test_schedulers_take_turns(plan, tmp_path):
    """Wan's conditions of plans/schedulers.toml, each with a baseline of its own."""
    entries = tomllib.loads((PLANS / "schedulers.toml").read_text(encoding="utf-8"))["conditions"]
    wan = [entry for entry in entries if entry.pop("models") == ["Wan 2.1-1.3B"]]
    size = {"num_frames": 5, "height": 32, "width": 48, "num_inference_steps": 6}
    text = 'name = "s"\nprompts = { source = "file", file = "prompts.txt", count = 1 }\n'
    text += 'settings = [{ policy = "static" }]\nmodels = [{ name = "tiny", model = "pocket" }]\n'
    text += "conditions = [" + ", ".join(as_toml({**condition, "call": size}) for condition in wan) + "]\n"
    plan.write_text(text)
    assert main(["bench", str(plan), "--out", str(tmp_path / "out")]) == 0
    rows = list(rows_by_key(tmp_path / "out").values())
    assert [(row["condition"], row["kind"]) for row in rows] == [
        (name, kind) for name in ("UniPC", "DPM++", "Euler") for kind in ("baseline", "cached")
    ]
    videos = [decoded(tmp_path / "out" / row["video"]).tobytes() for row in rows if row["kind"] == "baseline"]
    assert len(set(videos)) == 3, "each scheduler makes its own"
    plan.write_text(text.replace("UniPCMultistepScheduler", "UniPC"))
    with pytest.raises(SystemExit):
        main(["bench", str(plan), "--out", str(tmp_path / "other")])


def test_a_policy_that_cannot_be_on_the_model_does_not_stop_the_others(plan, tmp_path, capsys):
    text = PLAN.replace(
        '{ name = "half"', '{ name = "deep", policy = "dbcache" },\n    { policy = "pab" },\n    { name = "half"'
    )
    plan.write_text(text)
    out = tmp_path / "out"
    assert main(["bench", str(plan), "--out", str(out), "--prompts", "1"]) == 0
    rows = list(rows_by_key(out).values())
    assert [row["setting"] for row in rows if row["kind"] == "refused"] == ["deep"]
    (pab,) = [row["steps"] for row in rows if row["setting"] == "pab"]
    assert pab["computed"] == 8 > pab["partial"] > 0, "parts of a step"
    assert len(rows) == 9 and "half" in [row["setting"] for row in rows if row["kind"] == "cached"]
    assert "not possible: deep on tiny: " in capsys.readouterr().out
    assert main(["report", str(out)]) == 0
    assert "Not possible: deep on tiny" in (out / "report.html").read_text(encoding="utf-8")
