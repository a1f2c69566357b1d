"""Jobs: one baseline a group, keys that tell jobs apart, and files that stay where they belong."""

from dataclasses import replace
from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st
from tests.evaluation.bench.toy import PLAN, PROMPTS, toy_groups

from navicache.evaluation.bench.jobs import TRUTH, expand
from navicache.evaluation.bench.names import LONGEST_NAME, file_stem, slug
from navicache.evaluation.bench.plan import Accuracy
from navicache.evaluation.bench.plan_file import parse_plan


def test_one_baseline_for_all_settings():
    groups = toy_groups()
    assert len(groups) == len(PROMPTS) * 2
    for group in groups:
        assert [job.kind for job in group] == ["baseline", "cached", "cached", "cached"]
        assert len({job.group for job in group}) == len({job.reference for job in group}) == 1
    jobs = [job for group in groups for job in group]
    assert len({job.key for job in jobs}) == len({job.video for job in jobs}) == len(jobs)
    assert jobs[3].arguments == {"num_inference_steps": 4}
    assert str(jobs[1].video) == "videos/toy/default/n-threshold-0.05/a cat-0"


def test_keys_depend_on_what_decides_the_result_alone():
    plan = parse_plan(PLAN)
    (job,) = [group[1] for group in expand(plan, ["a cat"])][:1]
    same = replace(job, setting=replace(job.setting, series="other"))
    assert same.key == job.key
    others = [replace(job, seed=9), replace(job, prompt="a dog"), replace(job, kind="shadow")]
    others.append(replace(job, model=replace(job.model, call={"num_inference_steps": 9})))
    others.append(replace(job, setting=replace(job.setting, knobs={"threshold": 0.2})))
    assert len({job.key, *(other.key for other in others)}) == 6


def test_accuracy_runs_on_the_first_prompts_alone():
    plan = replace(parse_plan(PLAN), accuracy=Accuracy(1, ("N threshold=0.1",)))
    shadows = [job for group in expand(plan, PROMPTS) for job in group if job.kind == "shadow"]
    assert [(job.setting.name, job.prompt, job.seed) for job in shadows] == [
        (TRUTH.name, "a cat", 0),
        ("N threshold=0.1", "a cat", 0),
    ]


def test_a_setting_may_be_for_one_model_alone():
    plan = parse_plan(PLAN)
    other = replace(plan.models[0], name="other")
    settings = (replace(plan.settings[0], models=("other",)), plan.settings[2])
    groups = expand(replace(plan, models=(*plan.models, other), settings=settings, seeds=(0,)), ["a cat"])
    assert [[job.setting.name for job in group] for group in groups] == [
        ["baseline", "half"],
        ["baseline", "N threshold=0.05", "half"],
    ]


@given(st.text(max_size=300))
def test_no_name_leaves_its_folder(text):
    for name in (slug(text), file_stem(text)):
        assert PurePosixPath(name).name == name
        assert name not in (".", "..") and "\0" not in name
        assert len(name.encode()) <= LONGEST_NAME


@given(st.text(max_size=300), st.text(max_size=300))
def test_two_prompts_never_share_a_file(first, second):
    assert first == second or file_stem(first) != file_stem(second)
