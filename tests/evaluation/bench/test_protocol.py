"""The large plans say what the official scripts set."""

from pathlib import Path

import pytest
from benchmarks.paper.published import TABLE_1

from navicache.evaluation.bench.jobs import expand_plan, iterate_jobs
from navicache.evaluation.bench.plan_file import read_plan
from navicache.models import find_model_by_name, find_preset
from navicache.policies import build_policy
from navicache.policies.protocols import Step
from navicache_opensora.inputs import build_video_spec

PLANS = {path.stem: read_plan(path) for path in (Path(__file__).parents[3] / "plans").glob("*.toml")}
MODELS = [(name, model) for name, plan in PLANS.items() for model in plan.models]
# What the official scripts set where nothing is said: shift, steps, guidance scale.
OFFICIAL = {
    "Wan 2.1-1.3B": (5.0, 50, 5.0),
    "Wan 2.1 I2V-14B 480P": (3.0, 40, 5.0),
    "Wan 2.1 I2V-14B 720P": (5.0, 40, 5.0),
    "Wan 2.2 TI2V-5B": (5.0, 50, 5.0),
    "HunyuanVideo": (7.0, 50, 6.0),
    "Open-Sora 1.2": (None, 30, 7.0),
}
SPECS = {"Wan 2.1-1.3B": "Wan 2.1 T2V-1.3B", "HunyuanVideo": "HunyuanVideo", "Open-Sora 1.2": "Open-Sora 1.2"}


@pytest.mark.parametrize(("plan", "model"), MODELS, ids=[f"{plan}: {model.name}" for plan, model in MODELS])
def test_shift_steps_and_guidance(plan, model):
    assert (model.shift, model.call["num_inference_steps"], model.call["guidance_scale"]) == OFFICIAL[model.name]


def test_every_wan_has_the_same_long_negative_prompt_and_no_other_model_has_one():
    said = {model.call.get("negative_prompt") for _, model in MODELS if model.name.startswith("Wan")}
    (negative,) = said
    assert negative.startswith("色调艳丽") and negative.endswith("倒着走") and len(negative) == 137
    assert all("negative_prompt" not in model.call for _, model in MODELS if not model.name.startswith("Wan"))


@pytest.mark.parametrize("plan", ["table1", "schedulers", "table1_others"])
def test_open_sora_is_told_a_width_of_854(plan):
    (model,) = (model for model in PLANS[plan].models if model.name == "Open-Sora 1.2")
    video = build_video_spec(
        model.call["resolution"], model.call["aspect_ratio"], (None, None), model.call["num_frames"], 24
    )
    assert (video.height, video.width, video.num_frames) == (480, 854, 51)
    assert not {"height", "width"} & model.call.keys()


def test_table_1_has_the_papers_rows_and_no_other():
    plan = PLANS["table1"]
    assert plan.seeds == (0, 1, 2, 3, 4)
    for model in plan.models:
        rows = [row for row in TABLE_1[model.published] if row.speedup != 1]
        assert len(plan.settings_of(model)) == len(rows) == 10


@pytest.mark.slow  # it expands 155,760 jobs
def test_a_day_of_table_1_is_a_part_of_it():
    prompts = [str(number) for number in range(944)]
    few = {PLANS["table1_day"].conditions[1].prompts: prompts[158::474]}
    known = {job.key for job in iterate_jobs(expand_plan(PLANS["table1"], prompts))}
    day = [job for job in iterate_jobs(expand_plan(PLANS["table1_day"], prompts[::79], few))]
    assert len({job.key for job in day}) == len(day) == (12 + 2 + 12) * 11 and {job.key for job in day} <= known
    assert (
        sum(job.arguments["num_inference_steps"] * job.model.timing["step"] + job.model.timing["rest"] for job in day)
        < 86400
    )


@pytest.mark.parametrize(("plan", "model"), MODELS, ids=[f"{plan}: {model.name}" for plan, model in MODELS])
def test_the_seconds_of_a_video_are_those_of_the_papers_rows(plan, model):
    if plan == "scalability" or model.name not in TABLE_1:
        assert not model.timing
        return
    steps = model.call["num_inference_steps"]
    for row, computed in zip(
        TABLE_1[model.name], (steps, {"Wan 2.1-1.3B": 20}.get(model.name, steps // 2)), strict=False
    ):
        assert computed * model.timing["step"] + model.timing["rest"] == pytest.approx(row.seconds, rel=0.005)


@pytest.mark.parametrize(("model", "total", "computed"), [*zip(SPECS, (50, 50, 30), (21, 25, 15), strict=True)])
def test_random_computes_as_many_steps_as_the_latencies_imply(model, total, computed):
    (own,) = (part for part in PLANS["table1"].models if part.name == model)
    (setting,) = (part for part in PLANS["table1"].settings_of(own) if part.policy == "random")
    (scheme,) = build_policy("random", **setting.knobs).schemes()
    gate, state = scheme.gate, scheme.gate.init()
    due = [gate.decide(state, Step(index=i, local_index=i, total=total))[0].compute for i in range(total)]
    assert sum(due) == computed
    assert (
        setting.knobs["probability"]
        == find_preset(find_model_by_name(SPECS[model]), "random", "mid").knobs["probability"]
    )


def test_figure_1_adds_nothing_to_table_1_but_runs_in_shadow_mode():
    prompts = ["a", "b"]
    known = {job.key for job in iterate_jobs(expand_plan(PLANS["table1"], prompts))}
    more = [job for job in iterate_jobs(expand_plan(PLANS["figure1"], prompts)) if job.key not in known]
    assert {job.kind for job in more} == {"shadow"} and len(more) == 2 * 5
    assert PLANS["figure1"].accuracy.prompts == 944, "all prompts of VBench"


def test_every_model_of_the_paper_has_its_schedulers():
    plan = PLANS["schedulers"]
    found = {model.name: [condition.name for condition in plan.conditions_of(model)] for model in plan.models}
    assert found == {
        "Wan 2.1-1.3B": ["UniPC", "DPM++", "Euler"],
        "HunyuanVideo": ["Euler", "UniPC"],
        "Open-Sora 1.2": ["Rectified flow"],
    }
