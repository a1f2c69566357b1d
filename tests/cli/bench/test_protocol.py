"""A plan's model with a shift, a negative prompt and a picture: they reach the pipeline, and its rows say so."""

import pytest
from PIL import Image
from tests.support.commands import refused
from tests.support.rows import rows_by_key
from tests.tiny.saved import save_wan_i2v

from navicache.cli import main
from navicache.cli.bench.result_files import ResultFiles
from navicache.cli.bench.worker import PipelineWorker
from navicache.evaluation.bench.jobs import expand_plan
from navicache.evaluation.bench.plan_file import parse_plan

PLAN = """
name = "tiny"
prompts = { source = "file", file = "prompts.txt" }
settings = [{ name = "static", policy = "static" }]
metrics = ["psnr"]

[[models]]
name = "tiny"
model = "MODEL"
shift = 7
call = { num_frames = 5, height = 32, width = 48, num_inference_steps = 4, EXTRA }
"""


def plan(folder, model, extra):
    (folder / "prompts.txt").write_text("a red ball\n")
    (folder / "plan.toml").write_text(PLAN.replace("MODEL", str(model)).replace("EXTRA", extra))
    return folder / "plan.toml"


def worker(folder):
    return PipelineWorker(folder, ResultFiles(folder, 0, 0), ("psnr",))


@pytest.mark.filterwarnings("ignore:__array__:DeprecationWarning")  # DPM++ with a new numpy
def test_shift_and_negative_prompt_reach_the_pipeline(tmp_path, wan_folder):
    text = PLAN.replace("MODEL", str(wan_folder)).replace("EXTRA", 'negative_prompt = "a blue cat"')
    condition = 'conditions = [{ name = "DPM", scheduler = "DPMSolverMultistepScheduler" }, { name = "own" }]\n'
    seen = []
    for batch, *_ in expand_plan(parse_plan(condition + text), ["a red ball"]):
        own = worker(tmp_path)
        (row,) = own(batch)
        seen.append((type(own._pipe.scheduler).__name__, own._pipe.scheduler.config.flow_shift))
        assert (row["shift"], row["arguments"]["negative_prompt"]) == (7, "a blue cat")
    assert seen == [("DPMSolverMultistepScheduler", 7), ("UniPCMultistepScheduler", 7)]


def test_a_negative_prompt_makes_another_video(tmp_path, wan_folder):
    clips = []
    for negative in ("", "a blue cat moves right"):
        text = PLAN.replace("MODEL", str(wan_folder)).replace("EXTRA", f'negative_prompt = "{negative}"')
        (group,) = expand_plan(parse_plan(text), ["a red ball"])
        own = worker(tmp_path)
        own(group[0])
        clips.append(own._references.find(group[0][0]))
    assert (clips[0].clip != clips[1].clip).any()


def test_a_picture_is_measured_from_and_missed_before_the_model_is_loaded(tmp_path, monkeypatch, capsys):
    picture = tmp_path / "picture.png"
    path = plan(tmp_path, save_wan_i2v(tmp_path / "i2v"), f'image = "{picture}"')
    with monkeypatch.context() as patched:
        patched.setattr("navicache.cli.bench.worker.load_pipeline", lambda _: pytest.fail("loaded"))
        message = refused(capsys, "bench", path, "--out", tmp_path / "out")
    assert f"no picture {picture}" in message and not (tmp_path / "out").exists()

    Image.new("RGB", (48, 32), "red").save(picture)
    assert main(["bench", str(path), "--out", str(tmp_path / "out")]) == 0
    rows = rows_by_key(tmp_path / "out").values()
    assert {row["kind"] for row in rows} == {"baseline", "cached"}
    assert all(row["arguments"]["image"] == str(picture) for row in rows)
