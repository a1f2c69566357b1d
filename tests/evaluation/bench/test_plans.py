"""Every plan in plans/ can be read, and says what the paper says."""

from pathlib import Path

import pytest

from navicache.evaluation.bench.jobs import expand, jobs_of
from navicache.evaluation.bench.plan_file import read_plan
from navicache.policies import POLICIES
from navicache.report.published import TABLE_1

PLANS = Path(__file__).parents[3] / "plans"
NAMES = ("ablation_align", "ablation_noise", "overhead", "scalability", "schedulers", "table1")


@pytest.mark.parametrize("path", sorted(PLANS.rglob("*.toml")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_plan_can_be_read_and_expanded(path):
    plan = read_plan(path)
    groups = expand(plan, ["a", "b"])
    jobs = list(jobs_of(groups))
    cells = sum(len(plan.conditions_of(model)) for model in plan.models)
    assert len([job for job in jobs if job.kind == "baseline"]) == 2 * cells * len(plan.seeds)
    assert len({job.key for job in jobs}) == len(jobs)
    assert all(not model.published or model.published in TABLE_1 for model in plan.models)
    assert (plan.prompts.source == "pocket") == (path.parent.name == "pocket")


def test_each_of_the_papers_experiments_has_both_plans():
    for folder in (PLANS, PLANS / "pocket"):
        assert tuple(sorted(path.stem for path in folder.glob("*.toml"))) == NAMES


def test_the_pocket_table_has_four_prompts_or_more_and_every_policy():
    plan = read_plan(PLANS / "pocket" / "table1.toml")
    assert plan.prompts.count >= 4
    missing = set(POLICIES) - {setting.policy for setting in plan.settings}
    assert not missing, "make bench-pocket is to show every policy of the catalog"
