"""Jobs: one baseline a group, and keys that tell jobs apart."""

from dataclasses import replace

import pytest
from tests.evaluation.bench.toy import PLAN, PROMPTS, toy_groups

from navicache.evaluation.bench.jobs import EVERY_STEP, expand_plan, iterate_jobs
from navicache.evaluation.bench.plan import ShadowRuns
from navicache.evaluation.bench.plan_file import parse_plan


def test_one_baseline_for_all_settings():
    groups = toy_groups()
    assert len(groups) == len(PROMPTS) * 2
    for group in groups:
        assert [len(batch) for batch in group] == [1] * 4
        assert [job.kind for job in iterate_jobs([group])] == ["baseline", "cached", "cached", "cached"]
        assert (
            len({job.group for job in iterate_jobs([group])})
            == len({job.reference for job in iterate_jobs([group])})
            == 1
        )
    jobs = list(iterate_jobs(groups))
    assert len({job.key for job in jobs}) == len({job.video for job in jobs}) == len(jobs)
    assert jobs[3].arguments == {"num_inference_steps": 4}
    assert str(jobs[1].video) == "videos/toy/default/n-threshold-0.05/a cat-0"


def test_keys_depend_on_what_decides_the_result_alone():
    plan = parse_plan(PLAN)
    ((job,),) = [group[1] for group in expand_plan(plan, ["a cat"])][:1]
    same = replace(job, setting=replace(job.setting, series="other"))
    assert same.key == job.key
    others = [replace(job, seed=9), replace(job, prompt="a dog"), replace(job, kind="shadow")]
    others.append(replace(job, model=replace(job.model, call={"num_inference_steps": 9})))
    others.append(replace(job, setting=replace(job.setting, knobs={"threshold": 0.2})))
    others += [replace(job, model=replace(job.model, shift=shift)) for shift in (3.0, 5.0)]
    assert len({job.key, *(other.key for other in others)}) == 8


def test_a_job_without_a_shift_keeps_the_key_it_had_before_there_were_any():
    (job,) = toy_groups()[0][1]
    assert job.key == "0c22bf7b0a7071d7"


def test_accuracy_runs_on_the_first_prompts_alone():
    plan = replace(parse_plan(PLAN), accuracy=ShadowRuns(1, ("N threshold=0.1",)))
    shadows = [job for job in iterate_jobs(expand_plan(plan, PROMPTS)) if job.kind == "shadow"]
    assert [(job.setting.name, job.prompt, job.seed) for job in shadows] == [
        (EVERY_STEP.name, "a cat", 0),
        ("N threshold=0.1", "a cat", 0),
    ]


def test_a_setting_may_be_for_one_model_alone():
    plan = parse_plan(PLAN)
    other = replace(plan.models[0], name="other")
    settings = (replace(plan.settings[0], models=("other",)), plan.settings[2])
    groups = expand_plan(replace(plan, models=(*plan.models, other), settings=settings, seeds=(0,)), ["a cat"])
    assert [[job.setting.name for job in iterate_jobs([group])] for group in groups] == [
        ["baseline", "half"],
        ["baseline", "N threshold=0.05", "half"],
    ]


def test_batches_have_the_same_keys_and_are_cut_as_asked():
    plan = parse_plan(PLAN)
    settings = (replace(plan.settings[0], batch=1), *plan.settings[1:])
    batched = replace(plan, batch=2, settings=settings, accuracy=ShadowRuns(2, ("half",)))
    groups = expand_plan(batched, PROMPTS)
    assert [[len(batch) for batch in group] for group in groups] == [
        [2, 1, 1, 2, 2, 1, 1, 1, 1],  # baseline, one by one, two settings, both kinds of shadow run of both prompts
        [2, 1, 1, 2, 2],
        [1, 1, 1, 1],
        [1, 1, 1, 1],
    ]
    for batch in (batch for group in groups for batch in group):
        assert len({(job.kind, job.setting.name, job.seed) for job in batch}) == 1
    alone = {job.key for job in iterate_jobs(expand_plan(plan, PROMPTS))}
    assert alone == {job.key for job in iterate_jobs(groups) if job.kind != "shadow"}
    own = replace(batched, models=(replace(plan.models[0], batch=3),))
    assert {len(group[0]) for group in expand_plan(own, PROMPTS)} == {3}, "a model may have a batch of its own"


def test_keys_are_those_of_earlier_versions():
    """Results that were measured before can be gone on with."""
    first = [job.key for job in iterate_jobs(toy_groups()[:1])]
    assert first == ["dcf9a0bf424aa37f", "0c22bf7b0a7071d7", "15add250b0e3064d", "91a8583a43f19bd2"]


def test_shares_are_of_the_steps_of_the_condition():
    settings = 'settings = [{ name = "fewer", policy = "none", shares = [0.5, 0.3333] }]'
    text = (
        PLAN[: PLAN.index("settings")] + settings + '\nconditions = [{ name = "own" }, { name = "c", call = { %s } }]'
    )
    plan = parse_plan(text % "num_inference_steps = 30")
    jobs = [job for job in iterate_jobs(expand_plan(replace(plan, seeds=(0,)), ["a cat"])) if job.kind == "cached"]
    assert [(job.setting.name, job.arguments["num_inference_steps"]) for job in jobs] == [
        ("fewer share=0.5", 4),
        ("fewer share=0.3333", 3),
        ("fewer share=0.5", 15),
        ("fewer share=0.3333", 10),
    ]
    assert len({job.key for job in jobs}) == 4 and {job.setting.series for job in jobs} == {"fewer"}
    bare = replace(plan.models[0], call={})
    with pytest.raises(
        ValueError, match=r"'fewer share=0.5' is a share of the steps: give num_inference_steps in call of"
    ):
        replace(plan, models=(bare,))
    assert replace(plan, models=(bare,), conditions=plan.conditions[1:]), "the condition says it"
