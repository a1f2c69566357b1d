"""Conditions with prompts of their own, and settings under some conditions alone."""

import pytest

from navicache.cli.bench.plan_setup import choose_prompts, set_prompt_counts
from navicache.evaluation.bench.jobs import expand_plan, iterate_jobs
from navicache.evaluation.bench.plan_file import parse_plan

PLAN = """
name = "parts"
prompts = { source = "file", file = "all.txt", count = 2 }
models = [{ name = "m", model = "pocket", call = { num_inference_steps = 50 } }]

[[conditions]]
name = "50 steps"

[[conditions]]
name = "20 steps"
call = { num_inference_steps = 20 }
prompts = { source = "file", file = "vague.txt", skip = 1, count = 3 }

[[settings]]
name = "list 3"
series = "list"
policy = "schedule"
conditions = ["20*"]
knobs = { at = [0, 1, 19] }

[[settings]]
policy = "easycache"
"""


def test_a_condition_has_its_own_prompts_and_settings():
    plan = parse_plan(PLAN)
    (wanted,) = (condition.prompts for condition in plan.conditions if condition.prompts)
    jobs = list(iterate_jobs(expand_plan(plan, ["a", "b"], {wanted: ["c"]})))
    assert [(job.condition.name, job.prompt, job.setting.name) for job in jobs if job.kind == "cached"] == [
        ("50 steps", "a", "easycache"),
        ("50 steps", "b", "easycache"),
        ("20 steps", "c", "list 3"),
        ("20 steps", "c", "easycache"),
    ]
    assert plan.settings[0].series == "list"


def test_prompts_that_others_use_too_have_the_same_jobs():
    plan, same = parse_plan(PLAN), parse_plan(PLAN.replace('conditions = ["20*"]\n', ""))
    keys = [{job.key for job in iterate_jobs(expand_plan(each, ["a"]))} for each in (plan, same)]
    assert keys[0] < keys[1], "where prompts come from, and under which conditions else, decides no result"


def test_unknown_conditions_are_refused():
    with pytest.raises(ValueError, match=r"names '30\*', which the plan has not; known: 50 steps, 20 steps"):
        parse_plan(PLAN.replace('"20*"', '"30*"'))


def test_the_first_may_be_skipped_and_a_count_replaced(tmp_path):
    (tmp_path / "vague.txt").write_text("a\nb\nc\nd\n")
    plan = parse_plan(PLAN)
    assert choose_prompts(plan.conditions[1].prompts, tmp_path) == ["b", "c", "d"]
    few, many = (set_prompt_counts(plan, count, None) for count in (2, 64))
    assert choose_prompts(few.conditions[1].prompts, tmp_path) == ["b", "c"] and few.prompts.count == 2
    assert many.conditions[1].prompts.count == 3 and many.prompts.count == 64, "no more than it has"
    (tmp_path / "vague.txt").write_text("a\n")
    none = parse_plan(PLAN.replace("skip = 1, count = 3", "skip = 1")).conditions[1].prompts
    with pytest.raises(ValueError, match="some prompts are asked for, and there are 0"):
        choose_prompts(none, tmp_path)
