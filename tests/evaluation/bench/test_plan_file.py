"""Plans: what they expand to, and that whatever is not understood is named."""

import pytest
from tests.evaluation.bench.toy import PLAN

from navicache.evaluation.bench.plan_file import parse_plan, read_plan

HEAD = 'name = "t"\nprompts = { source = "pocket" }\nmodels = [{ name = "m", model = "pocket" }]\n'
SETTINGS = 'settings = [{ policy = "navicache" }]\n'


def test_sweeps_and_modes():
    entry = '{ name = "N", policy = "navicache", modes = ["fast", "slow"], sweep = { align_steps = [5, 10] } }'
    plan = parse_plan(HEAD + f"settings = [{entry}, {{ policy = 'static' }}]")
    names = ["N fast align_steps=5", "N fast align_steps=10", "N slow align_steps=5", "N slow align_steps=10", "static"]
    assert [setting.name for setting in plan.settings] == names
    assert [setting.series for setting in plan.settings] == ["N"] * 4 + [""]
    assert plan.settings[1].knobs == plan.settings[1].swept == {"align_steps": 10}
    assert plan.settings[2].mode == "slow"
    assert parse_plan(PLAN).seeds == (0, 1)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (
            HEAD + SETTINGS + "sead = 1",
            "the plan has an unknown key 'sead'; allowed: name, prompts, models, conditions",
        ),
        (HEAD, "settings must be a list, got None"),
        (HEAD + "settings = []", "settings is empty: give at least one"),
        (HEAD + 'settings = [{ name = "x" }]', r"settings\[0\] lacks 'policy'"),
        (HEAD + 'settings = [{ policy = "navicash" }]', "unknown policy 'navicash'; known: navicache, inertial"),
        (HEAD + 'settings = [{ policy = "static", knobs = { treshold = 1 } }]', "no knob 'treshold'"),
        (HEAD + 'settings = [{ policy = "none", mode = "fast" }]', "leave out its modes, knobs and sweep"),
        (HEAD + 'settings = [{ policy = "ema", mode = "fast", modes = [] }]', "has mode and modes"),
        (
            HEAD + 'settings = [{ policy = "ema" }, { name = "EMA!", policy = "ema" }]',
            "2 of the settings would be called",
        ),
        (HEAD + 'settings = [{ name = "Baseline", policy = "ema" }]', "2 of the settings would be called 'baseline'"),
        (
            HEAD + 'settings = [{ policy = "ema", mode = "quick" }]',
            "mode of setting 'ema' must be one of 'fast', 'mid'",
        ),
        (HEAD.replace('"m",', '"m", dtype = "int8",') + SETTINGS, r"models\[0\].dtype must be one of auto, float32"),
        (HEAD + SETTINGS + "seeds = [0, 0]", "2 of the seeds"),
        (HEAD + SETTINGS + "seeds = 3", "seeds must be a list, got 3"),
        (HEAD + SETTINGS + "seeds = [true]", "must be a whole number, got True"),
        (HEAD + SETTINGS + 'conditions = [{ sheduler = "x" }]', r"conditions\[0\] has an unknown key 'sheduler'"),
        (HEAD + SETTINGS + 'accuracy = { prompts = 1, settings = ["x"] }', "accuracy.settings names 'x'"),
        (HEAD.replace("pocket", "poket", 1) + SETTINGS, "prompts.source must be one of pocket, vbench, file"),
        (HEAD.replace(' source = "pocket"', 'source = "file", count = 0') + SETTINGS, "count must be above zero"),
        (HEAD + 'settings = [{ policy = "ema", models = ["n"] }]', "models of setting 'ema' names 'n'"),
        (HEAD + SETTINGS + "x = = 1", "no TOML"),
    ],
)
def test_what_is_wrong_is_named(text, advice, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=advice) as error:
        read_plan(path)
    assert str(path) in str(error.value)


def test_no_file(tmp_path):
    with pytest.raises(ValueError, match="no plan"):
        read_plan(tmp_path / "none.toml")
