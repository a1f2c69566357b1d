"""Every plan in plans/ can be read, and says what the paper says."""

import re
from pathlib import Path

import pytest
from benchmarks.paper.published import TABLE_1
from benchmarks.paper.sections import PAPER_SECTIONS

from navicache.evaluation.bench.equal_steps import BUDGETS, count_computed
from navicache.evaluation.bench.jobs import expand_plan, iterate_jobs
from navicache.evaluation.bench.plan_file import read_plan
from navicache.policies import POLICIES

PLANS = Path(__file__).parents[3] / "plans"
BOTH = {"ablation_align", "ablation_noise", "figure1", "scalability", "schedulers", "table1"}
LARGE = {"case_study", "i2v", "table1_day", "table1_others", "wan22"}  # whose models the embedded one cannot stand for
POCKET = {"abstract", "case_study", "family", "family_quick", "few_steps", "ground", "random_walk", "started"}


@pytest.mark.parametrize("path", sorted(PLANS.rglob("*.toml")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_plan_can_be_read_and_expanded(path):
    plan = read_plan(path)
    groups = expand_plan(plan, ["a", "b"])
    jobs = list(iterate_jobs(groups))
    cells = sum(len(plan.conditions_of(model)) for model in plan.models)
    assert len([job for job in jobs if job.kind == "baseline"]) == 2 * cells * len(plan.seeds)
    assert len({job.key for job in jobs}) == len(jobs)
    assert all(not model.published or model.published in TABLE_1 for model in plan.models)
    assert plan.prompts.source.startswith("pocket") == (path.parent.name == "pocket")


def test_each_of_the_papers_experiments_has_a_plan():
    for folder, own in ((PLANS, LARGE), (PLANS / "pocket", POCKET)):
        assert {path.stem for path in folder.glob("*.toml")} == BOTH | own


def test_the_pocket_table_has_four_prompts_or_more_and_every_policy():
    plan = read_plan(PLANS / "pocket" / "table1.toml")
    assert plan.prompts.count >= 4
    missing = set(POLICIES) - {setting.policy for setting in plan.settings}
    assert not missing, "make bench-paper is to show every policy of the catalog"


def test_the_family_has_every_cell_and_both_sides_of_every_budget():
    plan = read_plan(PLANS / "pocket" / "family.toml")
    assert (plan.prompts.count, plan.batch, plan.metrics) == (64, 64, ("psnr",))
    assert {model.dtype for model in plan.models if "bf16" not in model.name} == {"float32"}
    assert {model.name: len(plan.conditions_of(model)) for model in plan.models} == {
        **{"wan": 6, "hunyuan": 4, "opensora": 4, "cogvideox": 5, "unet": 7, "wan bf16": 1, "hunyuan bf16": 1}
    }
    policies = {"inertial", "navicache", "easycache", "ema", "seacache", "taylorseer", "firstblockcache", "l2p"}
    policies |= {"hicache", "spectrum"}
    flows = {"wan", "hunyuan", "opensora", "wan bf16", "hunyuan bf16"}
    blocks = flows | {"cogvideox"}
    for model in plan.models:
        own, steps = plan.settings_of(model), model.call["num_inference_steps"]
        fitted = {"meancache"} if model.name in flows else set()
        fitted |= {"teacache", "magcache", "pab"} if model.name in blocks else set()
        assert {setting.policy for setting in own} == policies | fitted | {"none"}
        exact = [s for s in own if s.policy == "none" or "speedup" in s.knobs]
        for series in {setting.series for setting in exact}:
            shares = [s.share or 1 / s.knobs["speedup"] for s in exact if s.series == series]
            computed = {round(steps * share) for share in shares}
            assert computed == {count_computed(budget, steps) for budget in BUDGETS}, f"{series} on {model.name}"


def test_the_abstract_has_every_form_and_the_same_thresholds_under_both_samplers():
    plan = read_plan(PLANS / "pocket" / "abstract.toml")
    assert (plan.prompts.source, plan.prompts.count, plan.metrics, plan.ours) == (
        "pocket",
        32,
        ("psnr",),
        ("navicache",),
    )
    assert {model.name: len(plan.conditions_of(model)) for model in plan.models} == dict(wan=2, hunyuan=2, cogvideox=2)
    changed = set()
    for model in plan.models:
        own = plan.settings_of(model)
        assert {setting.policy for setting in own} == {"navicache", "easycache", "ema"}
        assert all(sum(setting.series == other.series for other in own) >= 7 for setting in own)
        changed |= {(knob, str(value)) for setting in own for knob, value in setting.knobs.items()}
    words = {"ratio_and_drift", "upper_bound", "mean", "channel"}
    assert words <= {value for _, value in changed}
    assert {knob for knob, value in changed if value.startswith("([")} == {"process_noise", "measurement_noise"}


def test_the_papers_studies_are_chapters_that_name_their_command_and_the_three_models():
    studies = re.search(r"^PAPER := (.*)$", (PLANS.parent / "Makefile").read_text(), re.MULTILINE)[1].split()
    assert set(studies) == BOTH
    for name in studies:
        plan = read_plan(PLANS / "pocket" / f"{name}.toml")
        assert [model.name for model in plan.models] == ["wan", "hunyuan", "opensora"]
        assert f"navicache bench plans/pocket/{name}.toml" in plan.chapter.text and plan.chapter.shows
        assert set(plan.chapter.shows) <= set(PAPER_SECTIONS), "what the page has"
        assert plan.clock == "beside" or name in ("figure1", "schedulers"), "seconds against a plain run beside them"


def test_a_plan_that_measures_our_policy_says_which_it_is():
    for path in (*PLANS.glob("*.toml"), *PLANS.glob("pocket/*.toml")):
        plan = read_plan(path)
        if "inertial" in {setting.policy for setting in plan.settings}:
            assert "\nours = " in path.read_text(encoding="utf-8"), f"{path.name} names no policy as ours"
            assert plan.ours[0] == "inertial"
