"""Plans: what they expand to, and that whatever is not understood is named."""

import pytest
from tests.evaluation.bench.toy import PLAN

from navicache.estimator import NoiseSchedule
from navicache.evaluation.bench.plan_file import parse_plan, read_plan
from navicache.evaluation.bench.plan_readers import PlanErrors
from navicache.policies import build_policy

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


def test_a_list_is_a_knob_of_several_numbers():
    entry = '{ policy = "pab", knobs = { self_window = [100, 930] }, sweep = { self_attention = [2, 3] } }'
    plan = parse_plan(HEAD + f"settings = [{entry}]")
    assert [setting.knobs["self_window"] for setting in plan.settings] == [(100, 930)] * 2


def test_a_noise_may_change_over_the_run():
    """The knobs stay as the file has them, so that they can be written to rows."""
    entry = '{ policy = "navicache", knobs = { process_noise = [[0, 0.5], [1, 0.005]] } }'
    (setting,) = parse_plan(HEAD + f"settings = [{entry}]").settings
    policy = build_policy(setting.policy, **setting.knobs)
    assert policy.process_noise == NoiseSchedule(((0, 0.5), (1, 0.005)))
    assert setting.knobs == {"process_noise": ([0, 0.5], [1, 0.005])}


def test_conditions_are_swept_and_may_be_of_some_models_alone():
    models = 'models = [{ name = "m", model = "pocket" }, { name = "n", model = "pocket", batch = 2 }]\n'
    text = 'name = "t"\nprompts = { source = "pocket" }\n' + models + SETTINGS
    text += 'batch = 8\nvideos = 0\ntraces = 2\nmetrics = ["psnr"]\n'
    text += """conditions = [
        { name = "DDIM", models = ["m"], call = { height = 8 }, sweep = { guidance_scale = [1, 7.5] } },
        { name = "DDIM", models = ["n"], scheduler = "B", sweep = { guidance_scale = [1] } },
    ]"""
    plan = parse_plan(text)
    first, second = plan.models
    assert [condition.name for condition in plan.conditions_of(first)] == [
        "DDIM guidance_scale=1",
        "DDIM guidance_scale=7.5",
    ]
    assert plan.conditions[1].call == {"height": 8, "guidance_scale": 7.5}
    assert [condition.scheduler for condition in plan.conditions_of(second)] == ["B"]
    assert (plan.batch_of(first), plan.batch_of(second)) == (8, 2)
    assert (plan.videos, plan.traces, plan.metrics) == (0, 2, ("psnr",))
    with pytest.raises(ValueError, match="conditions of n is empty"):
        parse_plan(text.replace('models = ["n"]', 'models = ["m"]').replace("[1] }", "[2] }"))
    with pytest.raises(ValueError, match="2 of the conditions of m would be called 'ddim-guidance-scale-1'"):
        parse_plan(text.replace('models = ["n"], ', ""))


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
        (HEAD + 'settings = [{ policy = "none", mode = "fast" }]', "leave out its modes, knobs, sweep and targets"),
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
        (
            HEAD.replace("pocket", "poket", 1) + SETTINGS,
            "prompts.source must be one of pocket, pocket-tuning, vbench, file",
        ),
        (HEAD.replace(' source = "pocket"', 'source = "file", count = 0') + SETTINGS, "count must be above zero"),
        (HEAD + 'settings = [{ policy = "ema", models = ["n"] }]', "models of setting 'ema' names 'n'"),
        (HEAD.replace('"m",', '"m", shift = 0,') + SETTINGS, r"models\[0\].shift must be a number above zero, got 0"),
        (HEAD.replace('"m",', '"m", shift = true,') + SETTINGS, r"shift must be a number above zero, got True"),
        (HEAD + SETTINGS + "batch = 0", "the plan.batch must be above zero, got 0"),
        (HEAD + SETTINGS + "videos = -1", "the plan.videos must not be below zero"),
        (HEAD + SETTINGS + 'metrics = ["psnr", "vmaf"]', "the plan.metrics must be one of psnr, ssim, lpips"),
        (HEAD + SETTINGS + "metrics = []", "the plan.metrics is empty: give some of psnr"),
        (HEAD + 'settings = [{ policy = "ema", shares = [0.5] }]', r"settings\[0\].shares are of the steps of a run"),
        (HEAD + 'settings = [{ policy = "none", shares = [50] }]', "must be a number above 0 and at most 1, got 50"),
        (HEAD + SETTINGS + 'conditions = [{ name = "c", models = ["x"] }]', "models of condition 'c' names 'x'"),
        (HEAD + SETTINGS + 'ours = "inertia"', "the plan.ours must be one of navicache, inertial"),
        (HEAD + SETTINGS + "ours = []", "the plan.ours is empty"),
        (HEAD + SETTINGS + "x = = 1", "no TOML"),
    ],
)
def test_what_is_wrong_is_named(text, advice, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=advice) as error:
        read_plan(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("line", "ours"),
    [("", ("inertial",)), ('ours = "ema"', ("ema",)), ('ours = ["ema", "static"]', ("ema", "static"))],
)
def test_ours_is_the_default_policy_unless_the_plan_says_otherwise(line, ours):
    assert parse_plan(f"{HEAD}{SETTINGS}{line}").ours == ours


def test_no_file(tmp_path):
    with pytest.raises(ValueError, match="no plan"):
        read_plan(tmp_path / "none.toml")


def test_all_that_is_wrong_is_named_at_once(tmp_path):
    models = 'models = [{ name = "m", modle = "pocket" }, { name = "n", model = "pocket", fps = 0 }]'
    settings = 'settings = [{ policy = "navicash" }, { policy = "static" }, { policy = "ema", knobs = { x = 1 } }]'
    path = tmp_path / "plan.toml"
    path.write_text(f'name = "t"\nsead = 1\nprompts = {{ source = "pocket" }}\n{models}\n{settings}\n')
    with pytest.raises(PlanErrors) as wrong:
        read_plan(path)
    advice = ("key 'sead'", "unknown key 'modle'", "lacks 'model'", "fps must be above", "'navicash'", "no knob 'x'")
    assert all(problem.startswith(f"{path}: ") and "\n" not in problem for problem in wrong.value.problems)
    assert len(wrong.value.problems) == len(advice)
    for words in advice:
        assert sum(words in problem for problem in wrong.value.problems) == 1, words
