"""Lists in hindsight: whole budgets, the steps one expects, and a plan that can be read."""

import itertools
from pathlib import Path

import pytest
from benchmarks.quality import lists
from benchmarks.quality.cost_lists import COST_LISTS, LAST_DEFAULT, STARTS
from benchmarks.quality.list_distance import list_counted
from benchmarks.quality.noise_levels import read_cell_levels

from navicache.cli.bench.plan_setup import add_embedded_calls
from navicache.evaluation.bench.plan_file import parse_plan, read_plan
from navicache.evaluation.tuning.weighted_lists import weigh_steps
from navicache.policies.budget import build_schedule
from navicache.policies.noise_levels import build_shifted_levels
from navicache.policies.schedule_forms import PLAIN
from navicache.policies.step_costs import CostExponents

GROUND = Path(__file__).parents[2] / "plans" / "pocket" / "ground.toml"
EVEN = [1 - step / 50 for step in range(51)]


@pytest.mark.parametrize("count", [25, 21, 17, 13, 9, 4])
@pytest.mark.parametrize("name", lists.LISTS)
def test_every_list_has_its_count_and_both_ends(name, count):
    steps = weigh_steps(lists.LISTS[name], EVEN, count)
    assert len(steps) == len(set(steps)) == count and steps == sorted(steps)
    assert steps[:3] == [0, 1, 2] and steps[-1] == 49


def test_a_list_is_dense_where_its_weight_is():
    def early(name, levels=EVEN):
        return sum(step < 25 for step in weigh_steps(lists.LISTS[name], levels, 20))

    assert early("start 16") > early("even") > early("end 16")
    shifted = [5 * level / (1 + 4 * level) for level in EVEN]
    assert early("sigma") == early("even") and early("sigma", shifted) < early("sigma, start 8", shifted)


def test_every_budget_has_lists_of_its_own():
    assert lists.computed_counts(30) == [15, 13, 10, 8, 5], "12.6, 10.2, 7.8 and 5.4 are no whole numbers"
    found = lists.cell_lists(*cell("unet", "DDIM leading, 20 steps"))
    assert list(dict.fromkeys(len(steps) for _, steps in found)) == [10, 7, 5]


@pytest.mark.parametrize("count", [25, 21, 17, 13, 9])
def test_a_setting_has_about_a_hundred_lists_each_with_its_count(count):
    found = lists.choose_lists(EVEN, count)
    assert [name.split()[0] for name in found].count("cost") == 70 and len(found) == 104
    assert {len(steps) for steps in found.values()} == {count}
    assert all(steps == sorted(set(steps)) and steps[0] == 0 and steps[-1] == 49 for steps in found.values())
    assert len({tuple(steps) for steps in found.values()}) >= 40, "some are alike, but not most"


def test_published_lists_come_back_as_they_were_at_their_budgets():
    found = lists.choose_lists(EVEN, 21)
    for published in (each for each in list_counted() if each.computed == 21):
        assert found[f"published {published.model} {published.method}"] == list(published.at)


def test_a_cost_list_is_named_by_what_differs():
    plain, other = (COST_LISTS[f"cost 1.4, start 1/3{more}"] for more in ("", ", level 0.3, gap 0.7"))
    assert (plain.exponents, plain.first_share) == (CostExponents(clean=1.4), 1 / 3)
    assert other.exponents == CostExponents(clean=1.4, level=0.3, gap=0.7)
    assert COST_LISTS["cost 1.2, start 1/3, two last steps"].choose(EVEN, 17)[-2:] == [48, 49]
    begun = [COST_LISTS[f"cost 1.0, {start}"].choose(EVEN, 25) for start in STARTS]
    first = [next(i for i, step in enumerate(steps) if step != i) for steps in begun]
    assert first[1:] == sorted(first[1:]) and first[-1] >= 12, "more of the budget, a denser start"


@pytest.mark.parametrize("count", [25, 21, 17, 13, 9])
def test_the_last_default_is_what_models_that_predict_noise_still_have(count):
    levels = build_shifted_levels(50, 3.0)
    now = build_schedule(levels, count, PLAIN.count_first_steps(count), PLAIN)
    assert COST_LISTS[LAST_DEFAULT].choose(levels, count) == sorted(now)


def cell(model, condition):
    plan = add_embedded_calls(read_plan(GROUND))
    (own,) = [each for each in plan.models if each.name == model]
    return own, next(each for each in plan.conditions_of(own) if each.name == condition)


@pytest.mark.filterwarnings("ignore:__array__ implementation")  # of diffusers with a new NumPy
def test_noise_levels_follow_the_shift_and_the_size():
    plan = read_plan(GROUND)
    models = {model.name: model for model in plan.models}
    levels = {
        (model.name, condition.name): read_cell_levels(model, condition)
        for model in (models["hunyuan"], models["opensora"], models["unet"])
        for condition in plan.conditions_of(model)
    }
    assert levels["hunyuan", "Euler shift 7, 50 steps"][25] == pytest.approx(7 / 8), "7/2 over 1 + 6/2"
    assert levels["opensora", "rectified flow, 50 steps"][25] == 0.5
    assert levels["opensora", "rectified flow by size, 50 steps"][25] < 0.25
    wan = read_cell_levels(*cell("wan", "Euler linear quadratic, 50 steps"))
    assert wan[25] == pytest.approx(0.975) and wan[24] - wan[25] == pytest.approx(0.001, abs=1e-5)
    for found in (*levels.values(), wan):
        assert all(before > after for before, after in itertools.pairwise(found)) and found[0] < 1.000001


SMALL = """
name = "small"
prompts = { source = "file", file = "p.txt" }
models = [{ name = "o", model = "pocket:opensora", call = { num_inference_steps = 20 } }]
conditions = [{ name = "a" }, { name = "b" }]
[[settings]]
policy = "inertial"
"""


def test_the_plan_is_completed_and_its_prompts_come_along(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    (tmp_path / "p.txt").write_text("a ball\n")
    assert lists.main([str(tmp_path / "small.toml"), "--out", str(tmp_path / "out" / "plan.toml")]) == 0
    plan = parse_plan((tmp_path / "out" / "plan.toml").read_text())
    assert (tmp_path / "out" / "p.txt").read_text() == "a ball\n"
    assert len(plan.settings) == 1 + 104 * 3 and {setting.conditions for setting in plan.settings[1:]} == {("a", "b")}
    assert {setting.series for setting in plan.settings[1:]} == set(lists.choose_lists(EVEN, 10))
    assert sorted({len(setting.knobs["at"]) for setting in plan.settings[1:]}) == [5, 7, 10]
