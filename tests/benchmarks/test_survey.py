"""The survey of diffusers' pipelines: its builds, what it finds, and that its rows are of the installed version."""

from __future__ import annotations

import json
from inspect import signature

import diffusers
import pytest
from benchmarks.survey import __main__ as survey
from benchmarks.survey import table
from benchmarks.survey.measure import measure
from benchmarks.survey.modular import choose_blocks
from benchmarks.survey.recipes import RECIPES, TABLES
from benchmarks.survey.subjects import find_subject, list_pipelines
from benchmarks.survey.unreached import UNREACHED

QUICK = {"AnimateDiffPipeline", "Cosmos3OmniModularPipeline", "QwenImage21TurboModularPipeline"}
KEPT = json.loads(table.ROWS.read_text(encoding="utf-8"))
GOOD = [name for name, row in KEPT["rows"].items() if not row["problem"]]
pytestmark = pytest.mark.filterwarnings("ignore")  # what old pipelines say of themselves
MEASURED = ("cached", "uncached", "steps", "computed", "runs", "equal_again", "equal_after", "places", "notes")


def test_the_rows_are_those_of_the_installed_version():
    assert KEPT["versions"]["diffusers"] == diffusers.__version__, "run python -m benchmarks.survey, then make tables"
    assert set(KEPT["rows"]) == set(list_pipelines())


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in GOOD]
)
def test_a_class_is_found_as_its_row_says(name):
    subject = find_subject(name, list_pipelines()[name])
    assert subject is not None
    row = measure(name, subject)
    assert {key: row[key] for key in MEASURED} == {key: KEPT["rows"][name][key] for key in MEASURED}


def test_every_class_that_is_not_run_says_why_in_plain_words():
    out = {name: row["problem"] for name, row in KEPT["rows"].items() if row["problem"]}
    assert out == UNREACHED, "write a recipe or a reason, then run python -m benchmarks.survey --missing"


def test_a_run_of_some_classes_does_not_mix_versions(tmp_path, capsys):
    kept = tmp_path / "rows.json"
    kept.write_text(json.dumps({"versions": {"diffusers": "0.1"}, "rows": {}}), encoding="utf-8")
    with pytest.raises(SystemExit):
        survey.main(["DiTPipeline", "--out", str(kept)])
    assert "run all classes" in capsys.readouterr().err
    assert json.loads(kept.read_text(encoding="utf-8"))["rows"] == {}


def test_a_run_of_all_classes_leaves_no_row_of_other_versions_even_when_it_ends_early(tmp_path, monkeypatch):
    kept = tmp_path / "rows.json"
    good = {"name": "WanPipeline", "problem": ""}
    kept.write_text(json.dumps({"versions": {"diffusers": "0.1"}, "rows": {"WanPipeline": good}}), encoding="utf-8")
    monkeypatch.setattr(survey, "survey_class", lambda name, kind: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        survey.main(["--out", str(kept)])
    assert survey.read_kept(kept) == {"versions": survey.list_versions(), "rows": {}}


def test_a_class_has_one_recipe():
    names = [name for table in TABLES for name in table]
    assert [name for name in names if names.count(name) > 1] == []


def test_a_recipe_names_what_its_class_has():
    kinds, unknown = list_pipelines(), {}
    for name, recipe in RECIPES.items():
        named = {*recipe.models, *recipe.changes, *recipe.parts, *recipe.call, *recipe.media, *recipe.by_steps}
        unknown[name] = named.union(recipe.without) - list_names(kinds[name])
    assert {name: names for name, names in unknown.items() if names} == {}


def list_names(kind):
    """Arguments, components and blocks of a class."""
    if not issubclass(kind, diffusers.ModularPipeline):
        return {*signature(kind.__init__).parameters, *signature(kind.__call__).parameters}
    blocks = choose_blocks(kind)
    given = (*blocks.inputs, *blocks.expected_components, *blocks.expected_configs)
    return {*kind().blocks.sub_blocks, *(each.name for each in given)}


def test_a_row_says_what_is_called_and_not_cached():
    part = {"kind": "Unet", "calls": 24, "outputs": 1}
    row = {
        "name": "OddPipeline",
        "cached": {"unet": part, "prior": {**part, "calls": 0}},
        "uncached": {"controlnet": {**part, "kind": "Control"}},
        "places": {"call": "", "blocks": "cannot find the transformer blocks of Unet: looked", "after first": ""},
        **{
            "steps": 12,
            "computed": 6,
            "runs": 1,
            "equal_again": True,
            "equal_after": True,
            "notes": [],
            "note": "slow",
        },
    }
    assert table.format_row(row) == (
        "`OddPipeline`",
        "`unet`",
        "24",
        "1",
        "6 of 12",
        "yes",
        "no: no list of blocks",
        "not called here: `prior`; `controlnet` (Control) is called 24 times and not cached; slow",
    )
