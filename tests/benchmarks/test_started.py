"""Runs that start in the middle: their steps, their inputs, and the rows of a plan."""

import functools
from pathlib import Path

import numpy as np
import pytest
from benchmarks.quality.noise_levels import read_cell_levels
from benchmarks.quality.shared_calls import share_calls
from benchmarks.quality.started_in_the_middle import StartedWorker, collect_prompts
from benchmarks.quality.started_pipelines import pair_prompts, stack_inputs, start_pipeline

from navicache.cli.bench.result_files import ResultFiles
from navicache.evaluation.bench.jobs import expand_plan
from navicache.evaluation.bench.plan import BenchPlan, PlanCondition, PlanModel, PlanPrompts, PlanSetting
from navicache.evaluation.bench.plan_file import read_plan

PLAN = Path(__file__).parents[2] / "plans" / "pocket" / "started.toml"
PROMPTS = ("a small red ball", "a star and a ring")
STRENGTH = 0.6
SETTINGS = (
    PlanSetting("all", "schedule", knobs={"at": list(range(6))}),
    PlanSetting("list", "schedule", knobs={"at": [0, 1, 2, 5]}),
    PlanSetting("fewer steps", "none", share=0.5),
)


@pytest.fixture(scope="module")
def rows(checkpoint, tmp_path_factory):
    """A video to video run of 6 of 10 steps on a small model with random weights."""
    out = tmp_path_factory.mktemp("started")
    call = {"num_inference_steps": 10, "guidance_scale": 3.0, "num_frames": 5, "height": 32, "width": 32}
    model = PlanModel("tiny", str(checkpoint), dtype="float32", device="cpu", call=call)
    condition = PlanCondition("started", call={"strength": STRENGTH})
    plan = BenchPlan("toy", PlanPrompts("file"), (model,), SETTINGS, (condition,), batch=2, metrics=("psnr",))
    groups = expand_plan(plan, PROMPTS)
    worker = StartedWorker(out, ResultFiles(out, 0, 0), ("psnr",), prompts=collect_prompts(groups))
    share = functools.partial(share_calls, row_limit=64)
    return {(row["setting"], row["prompt"]): row for batch in share(groups[0]) for row in worker(batch)}


def test_steps_are_those_that_are_run(rows):
    computed = {setting: (row["steps"]["total"], row["steps"]["computed"]) for (setting, _), row in rows.items()}
    assert computed == {"baseline": (6, 6), "all": (6, 6), "list": (6, 4), "fewer steps": (3, 3)}


def test_a_run_that_computes_everything_is_the_baseline(rows):
    for prompt in PROMPTS:
        assert rows["all", prompt]["quality"]["psnr"] > 80, "but for the nudge that tells rows apart"
        assert rows["list", prompt]["quality"]["psnr"] < rows["all", prompt]["quality"]["psnr"]
        assert rows["fewer steps", prompt]["quality"]["psnr"] < 60


class Recorder:
    """A pipeline that says what it is asked, and gives a white picture of each caption's length."""

    def set_progress_bar_config(self, disable):
        assert disable

    def __call__(self, prompt, **arguments):
        self.asked = prompt, arguments
        return (np.stack([np.full((2, 2, 3), float(len(each))) for each in prompt]),)


def test_every_caption_starts_from_what_another_one_gave(monkeypatch):
    class Started:
        @classmethod
        def from_pipe(cls, pipe):
            return cls()

    monkeypatch.setattr("benchmarks.quality.started_pipelines.STARTED", {"Recorder": Started})
    pipe = Recorder()
    inputs = start_pipeline(pipe, pair_prompts(["a", "bb", "ccc"]), {"height": 2}).inputs
    assert pipe.asked[0] == ["bb", "ccc", "a"] and pipe.asked[1]["height"] == 2
    assert [inputs[each].max() for each in ("a", "bb", "ccc")] == [2, 3, 1]
    assert stack_inputs(inputs, ["ccc", "a"])[:, 0, 0, 0].tolist() == [1, 2] and stack_inputs(inputs, "a").shape[0] == 1


def test_what_cannot_start_is_refused():
    with pytest.raises(ValueError, match="two captions or more"):
        pair_prompts(["a"])
    with pytest.raises(ValueError, match="no Recorder starts in the middle"):
        start_pipeline(Recorder(), {}, {})


def test_levels_are_those_of_the_steps_that_are_run():
    plan = read_plan(PLAN)
    wan = plan.models[0]
    condition = plan.conditions_of(wan)[1]
    whole = read_cell_levels(wan, PlanCondition("x", condition.scheduler, condition.scheduler_options))
    started = read_cell_levels(wan, condition)
    assert condition.call == {"strength": 0.6} and len(whole) == 51 and started == whole[20:]
