"""A benchmark that measures the calibrations of its policies itself: once a model and condition, and not again."""

import pytest

from navicache.cli.bench.result_files import ResultFiles
from navicache.cli.bench.worker import PipelineWorker
from navicache.evaluation.bench.jobs import expand_plan
from navicache.evaluation.bench.plan_file import parse_plan
from navicache.models import read_calibration

PLAN = """
name = "tiny"
prompts = { source = "file", file = "prompts.txt" }
conditions = [{ name = "a" }, { name = "b", call = { num_inference_steps = 7 } }]
settings = [
    { name = "L2P", policy = "l2p", sweep = { speedup = [1.5, 2.0] }, calibrate = ["a blue cat", "a boat"] },
    { name = "MeanCache", policy = "meancache", knobs = { budget = 3 }, calibrate = ["a boat"] },
]
metrics = ["psnr"]

[[models]]
name = "tiny"
model = "MODEL"
call = { num_frames = 5, height = 32, width = 48, num_inference_steps = 6 }
"""


@pytest.fixture
def groups(wan_folder):
    return expand_plan(parse_plan(PLAN.replace("MODEL", str(wan_folder))), ["a red ball"])


def worker(folder):
    return PipelineWorker(folder, ResultFiles(folder, 0, 0), ("psnr",))


def test_one_a_model_condition_and_policy(tmp_path, groups):
    own = worker(tmp_path)
    rows = [row for group in groups for batch in group for row in own(batch)]
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.glob("calibration/*/*/*.json"))
    assert [(*path.parts[1:3], path.name.split("-")[0]) for path in made] == [
        ("tiny", "a", "l2p"),
        ("tiny", "a", "meancache"),
        ("tiny", "b", "l2p"),
        ("tiny", "b", "meancache"),
    ]
    facts = [read_calibration(tmp_path / path).about for path in made]
    seen = [(each["prompts"], each["arguments"]["num_inference_steps"]) for each in facts]
    assert seen == [(2, 6), (1, 6), (2, 7), (1, 7)]
    cached = [row for row in rows if row["kind"] == "cached"]
    assert [row["steps"]["computed"] for row in cached] == [
        4,
        4,
        3,
        5,
        4,
        3,
    ]  # three aligned ones and the last, at least
    assert all(row["calibration_seconds"] > 0 for row in cached)


def test_a_file_that_is_there_is_not_made_again(tmp_path, groups):
    batch = groups[0][1]
    worker(tmp_path)(batch)
    (path,) = tmp_path.glob("calibration/*/*/*.json")
    before = path.read_bytes()
    worker(tmp_path)(batch)
    assert path.read_bytes() == before  # its seconds would differ


@pytest.mark.filterwarnings("ignore:__array__:DeprecationWarning")  # DPM++ with a new numpy
def test_what_cannot_be_measured_leaves_rows_that_say_why(tmp_path, wan_folder):
    condition = (
        '{ name = "a", scheduler = "DPMSolverMultistepScheduler", scheduler_options = { use_flow_sigmas = false } }'
    )
    plan = parse_plan(PLAN.replace("MODEL", str(wan_folder)).replace('{ name = "a" }', condition))
    (row,) = worker(tmp_path)(expand_plan(plan, ["a red ball"])[0][-1])
    assert row["kind"] == "refused"
    assert "meancache is for flow matching" in row["reason"]
    assert not list(tmp_path.glob("calibration/*/*/*.json"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('policy = "static", calibrate = ["a"]', "which has `calibrate`"),
        ('policy = "l2p", calibration = "x.json", calibrate = ["a"]', "give one of them"),
        ('policy = "l2p", calibrate = "a"', "settings"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_plan(wrong, said):
    text = PLAN[: PLAN.index("settings")] + f"settings = [{{ name = 'x', {wrong} }}]\n" + PLAN[PLAN.index("metrics") :]
    with pytest.raises(ValueError, match=said):
        parse_plan(text)


def test_results_from_before_stay_known():
    without = parse_plan(
        'name = "x"\nprompts = { source = "pocket" }\nmodels = [{ name = "m", model = "pocket" }]\n'
        'settings = [{ name = "static", policy = "static" }]'
    )
    assert expand_plan(without, ["a"])[0][1][0].key == "c068ccaf617f9148"
