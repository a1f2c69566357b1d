"""Many prompts in one call: the rows of one by one, with fewer files, whole batches or none."""

import pytest
from tests.support.rows import rows_by_key

from navicache import Trace
from navicache.cli import main
from navicache.cli.bench.worker import PipelineWorker

PROMPTS = ("a red ball moves left", "a blue cat", "a cat moves right")
PLAN = """
name = "batches"
seeds = [3]
metrics = ["psnr"]
{keys}
prompts = {{ source = "file", file = "prompts.txt" }}
models = [{{ name = "tiny", model = "{model}", call = {{ num_inference_steps = 8, {size} }} }}]
conditions = [{{ name = "own", sweep = {{ guidance_scale = [{guidance}] }} }}]
settings = [
    {{ name = "N", policy = "navicache", knobs = {{ align_steps = 3 }}, sweep = {{ threshold = [0.2, 0.9] }} }},
    {{ name = "E", policy = "easycache", knobs = {{ align_steps = 3, threshold = 0.5 }} }},
    {{ name = "inertial", policy = "inertial", sweep = {{ speedup = [2.0, 3.0] }} }},
    {{ name = "by threshold", policy = "inertial", knobs = {{ threshold = 0.2 }} }},
    {{ name = "lite", policy = "taylorseer", knobs = {{ lite = true }} }},
    {{ name = "fewer", policy = "none", shares = [0.5] }},
]
"""
SIZES = {"wan": "num_frames = 5, height = 32, width = 32, negative_prompt = 'red'", "image": "height = 64, width = 64"}


def bench(folder, out, model, kind, keys="", *options, guidance="4"):
    (folder / "prompts.txt").write_text("\n".join(PROMPTS))
    (folder / "plan.toml").write_text(PLAN.format(keys=keys, model=model, size=SIZES[kind], guidance=guidance))
    assert main(["bench", str(folder / "plan.toml"), "--out", str(out), *options]) == 0
    return rows_by_key(out)


@pytest.mark.parametrize("kind", ["wan", pytest.param("image", marks=pytest.mark.slow)])
def test_rows_of_batches_are_those_of_one_by_one(kind, tmp_path, request):
    model = request.getfixturevalue(f"{kind}_folder")
    alone = bench(tmp_path, tmp_path / "alone", model, kind)
    together = bench(tmp_path, tmp_path / "together", model, kind, "batch = 2\nvideos = 1\ntraces = 2")
    assert together.keys() == alone.keys() and len(alone) == 3 * (1 + 8)
    for key, row in together.items():
        mine = alone[key]
        assert {name: row[name] for name in ("setting", "prompt", "steps", "knobs", "arguments")} == {
            name: mine[name] for name in ("setting", "prompt", "steps", "knobs", "arguments")
        }
        assert (row["batch"], mine["batch"]) == (2 if row["prompt_index"] < 2 else 1, 1)
        if row["kind"] == "cached":
            assert row["quality"].keys() == {"psnr", "psnr_pooled"}
            assert row["quality"]["psnr"] == pytest.approx(mine["quality"]["psnr"], abs=0.02)
        assert (row["video"] is not None) is (row["prompt_index"] < 1)
        assert (row["trace"] is not None) is (row["prompt_index"] < 2 and mine["trace"] is not None)
    steps = {row["steps"]["computed"] for row in together.values() if row["setting"].startswith("N ")}
    assert len(steps) > 1, "the cache decides"
    traced = next(row for row in together.values() if row["setting"] == "E" and row["prompt_index"] == 1)
    out, words = {"wan": ("together", "many prompts in one call"), "image": ("alone", "timed side by side")}[kind]
    assert main(["report", str(tmp_path / out)]) == 0
    assert words in (tmp_path / out / "report.html").read_text(encoding="utf-8")
    own, other = (Trace.load(tmp_path / out / traced["trace"]).runs[0] for out in ("alone", "together"))
    assert own.column("computed") == other.column("computed") and other.samples == 1


def test_an_interrupted_batch_runs_again_as_a_whole(tmp_path, wan_folder, monkeypatch):
    out = tmp_path / "out"
    keys, only = "batch = 3\nvideos = 0\ntraces = 0", ("--only", "settings=N,fewer*")
    whole = bench(tmp_path, out, wan_folder, "wan", keys, *only)
    assert not (out / "videos").exists() and not (out / "traces").exists()
    lines = (out / "rows.jsonl").read_text().splitlines(keepends=True)
    (out / "rows.jsonl").write_text("".join(lines[:8]))  # two batches, and two of the three rows of the third
    called, work = [], PipelineWorker.__call__

    def counted(self, batch):
        called.append([job.setting.name for job in batch])
        return work(self, batch)

    monkeypatch.setattr(PipelineWorker, "__call__", counted)
    again = bench(tmp_path, out, wan_folder, "wan", keys, *only)
    assert called[0] == ["N threshold=0.9"] * 3 and len(called) == 2
    assert again.keys() == whole.keys()
    for key, row in again.items():
        assert row["steps"] == whole[key]["steps"]
        assert (row["quality"] or {}) == pytest.approx(whole[key]["quality"] or {}, abs=1e-3)
    assert len((out / "rows.jsonl").read_text().splitlines()) == len(whole) and not list(out.rglob("*.npy"))


def test_parts_in_folders_of_their_own_are_one_table(tmp_path, image_folder, capsys):
    keys, same = "batch = 3\nvideos = 0\ntraces = 0", ("--only", "settings=N,E,inertial,fewer*")
    outs = [tmp_path / f"out{number}" for number in (1, 2)]
    for number, out in enumerate(outs, start=1):
        bench(tmp_path, out, image_folder, "image", keys, *same, "--part", f"{number}/2", guidance="1, 4")
    conditions = [{row["condition"] for row in rows_by_key(out).values()} for out in outs]
    assert conditions == [{"own guidance_scale=1"}, {"own guidance_scale=4"}]
    capsys.readouterr()
    assert main(["report", *map(str, outs), "--summary", "--csv", str(tmp_path / "table.csv")]) == 0
    printed = capsys.readouterr().out
    assert printed.count("own guidance_scale=1 ") == printed.count("own guidance_scale=4 ") == 1, "half of 8 steps"
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert lines[0].startswith("model,condition,steps,prompts,budget,series,") and len(lines) > 4
    assert sum("own guidance_scale=4,8,3,1/2,inertial,inertial,ours,4," in line for line in lines) == 1
    assert "below the best of everything measured" in printed and "by more than 1.5 dB" in printed
    with pytest.raises(SystemExit):
        bench(tmp_path, tmp_path / "none", image_folder, "image", keys, "--part", "3/2")
    assert "--part takes a number" in capsys.readouterr().err
