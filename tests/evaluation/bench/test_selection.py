"""Parts of a plan: what was asked for, its baselines, and nothing else."""

import pytest

from navicache.evaluation.bench.jobs import expand_plan, iterate_jobs
from navicache.evaluation.bench.plan_file import parse_plan
from navicache.evaluation.bench.selection import select_jobs, select_part

PLAN = """
name = "t"
prompts = { source = "file", file = "none.txt" }
models = [{ name = "pocket", model = "pocket" }, { name = "pocket:unet", model = "pocket" }]
conditions = [
    { name = "DDIM", models = ["pocket:unet"], sweep = { guidance_scale = [1, 5] } },
    { name = "Euler" },
]
settings = [
    { name = "N", policy = "navicache", sweep = { threshold = [0.1, 0.2] } },
    { policy = "easycache", models = ["pocket"] },
]
"""


def places(groups):
    return [(job.model.name, job.condition.name, job.setting.name) for job in iterate_jobs(groups)]


@pytest.fixture(scope="module")
def groups():
    return expand_plan(parse_plan(PLAN), ["a cat"])


def test_models_conditions_and_settings(groups):
    assert {place[:2] for place in places(select_jobs(groups, ["models=pocket:unet"]))} == {
        ("pocket:unet", "DDIM guidance_scale=1"),
        ("pocket:unet", "DDIM guidance_scale=5"),
        ("pocket:unet", "Euler"),
    }
    found = places(select_jobs(groups, ["conditions=DDIM*", "settings=N threshold=0.2"]))
    assert found == [
        ("pocket:unet", f"DDIM guidance_scale={scale}", name)
        for scale in (1, 5)
        for name in ("baseline", "N threshold=0.2")
    ]
    assert {name for *_, name in places(select_jobs(groups, ["settings=N,easycache"]))} == {
        place[2] for place in places(groups)
    }
    easy = places(select_jobs(groups, ["settings=easycache"]))
    assert easy == [("pocket", "Euler", "baseline"), ("pocket", "Euler", "easycache")], "no baseline without a setting"
    keys = {job.key for job in iterate_jobs(groups)}
    assert {job.key for job in iterate_jobs(select_jobs(groups, ["models=pocket"]))} < keys, (
        "the jobs are the same ones"
    )


@pytest.mark.parametrize(
    ("wanted", "models", "settings"),
    [
        (["models=POCKET"], {"pocket"}, {"N threshold=0.1", "N threshold=0.2", "easycache"}),
        (["models=pocket-unet"], {"pocket:unet"}, {"N threshold=0.1", "N threshold=0.2"}),
        (["models=p*"], {"pocket", "pocket:unet"}, {"N threshold=0.1", "N threshold=0.2", "easycache"}),
        (["settings=n-threshold-0.2,EasyCache"], {"pocket", "pocket:unet"}, {"N threshold=0.2", "easycache"}),
        (["settings=N,easycache", "models=pocket:unet"], {"pocket:unet"}, {"N threshold=0.1", "N threshold=0.2"}),
    ],
)
def test_names_go_by_folders_and_without_capitals(groups, wanted, models, settings):
    found = places(select_jobs(groups, wanted))
    assert {model for model, _, _ in found} == models
    assert {setting for _, _, setting in found} == {*settings, "baseline"}


def test_first_words_do_where_no_name_is_exactly_that():
    text = PLAN.replace('name = "pocket"', 'name = "Wan 2.1-1.3B"').replace('["pocket"]', '["Wan 2.1-1.3B"]')
    mixed = expand_plan(
        parse_plan(text.replace('name = "pocket:unet"', 'name = "Wanderer"').replace("pocket:unet", "Wanderer")), ["a"]
    )
    assert {place[0] for place in places(select_jobs(mixed, ["models=wan"]))} == {"Wan 2.1-1.3B"}
    with pytest.raises(ValueError, match="--only models=wa fits none of: Wan"):
        select_jobs(mixed, ["models=wa"])
    exact = expand_plan(parse_plan(PLAN.replace('easycache"', 'easycache", name = "N plus"')), ["a"])
    assert "N plus" not in {place[2] for place in places(select_jobs(exact, ["settings=N"]))}, "the exact name wins"


@pytest.mark.parametrize(
    ("wanted", "advice"),
    [
        ("models=poket", "--only models=poket fits none of: pocket, pocket:unet"),
        ("model=pocket", "--only takes models=NAME, conditions=NAME, settings=NAME, got 'model=pocket'"),
        ("models=", "--only takes models=NAME"),
    ],
)
def test_what_fits_nothing_is_named(groups, wanted, advice):
    with pytest.raises(ValueError, match=advice):
        select_jobs(groups, [wanted])


def test_parts_make_the_whole(groups):
    parts = [select_part(groups, f"{number}/3") for number in (1, 2, 3)]
    assert sorted(places(groups)) == sorted(place for part in parts for place in places(part))
    for wrong in ("0/3", "4/3", "2", "a/b"):
        with pytest.raises(ValueError, match="--part takes a number and how many there are"):
            select_part(groups, wrong)
