"""A benchmark that finds thresholds for its targets: on tuning prompts, once a model, condition and policy."""

import json

import pytest

from navicache.cli.bench.result_files import ResultFiles
from navicache.cli.bench.worker import PipelineWorker
from navicache.evaluation.bench.jobs import expand_plan
from navicache.evaluation.bench.plan_file import parse_plan

PLAN = """
name = "tiny"
prompts = { source = "file", file = "prompts.txt" }
tune = { source = "file", file = "tuning.txt" }
metrics = ["psnr"]
settings = [SETTING]

[[models]]
name = "tiny"
model = "MODEL"
call = { num_frames = 5, height = 32, width = 48, num_inference_steps = 16 }
"""
HALF = '{ name = "E", policy = "easycache", knobs = { align_steps = 2 }, targets = [2.0, 1.5] }'
SWEPT = '{ name = "E", policy = "easycache", targets = [1.3], sweep = { align_steps = [2, 8] } }'


def run(folder, wan_folder, setting):
    plan = parse_plan(PLAN.replace("MODEL", str(wan_folder)).replace("SETTING", setting))
    (group,) = expand_plan(plan, ["a red ball"], {plan.tune: ["a blue cat"]})
    worker = PipelineWorker(folder, ResultFiles(folder, 0, 0), ("psnr",))
    return [row for batch in group[1:] for row in worker(batch)] if worker(group[0]) else []


@pytest.fixture
def probes(monkeypatch):
    """The thresholds that were tried."""
    from navicache.cli.bench import thresholds

    tried, measure = [], thresholds.measure_share

    def record(pipe, job, calibration):
        tried.append(job.setting.knobs["threshold"])
        return measure(pipe, job, calibration)

    monkeypatch.setattr(thresholds, "measure_share", record)
    return tried


def test_rows_have_the_threshold_that_was_found_and_nothing_is_searched_twice(tmp_path, wan_folder, probes):
    rows = run(tmp_path, wan_folder, HALF)
    (path,) = tmp_path.glob("thresholds/tiny/default/easycache-*.json")
    shares = {float(threshold): share for threshold, share in json.loads(path.read_text()).items()}
    assert sorted(shares) == sorted(probes) and len(set(probes)) == len(probes), "both targets share what was measured"
    for row, target in zip(rows, (2.0, 1.5), strict=True):
        assert row["setting"] == f"E target={target}" and row["knobs"]["align_steps"] == 2
        assert abs(shares[row["knobs"]["threshold"]] - 1 / target) <= 0.05
    tried = len(probes)
    again = run(tmp_path, wan_folder, HALF)
    assert len(probes) == tried and [row["knobs"] for row in again] == [row["knobs"] for row in rows]


def test_a_sweep_has_one_threshold(tmp_path, wan_folder):
    few, many = run(tmp_path, wan_folder, SWEPT)
    assert few["knobs"]["threshold"] == many["knobs"]["threshold"]
    assert (few["knobs"]["align_steps"], many["knobs"]["align_steps"]) == (2, 8)


def test_a_target_out_of_reach_leaves_a_row_that_says_why(tmp_path, wan_folder, probes):
    for _ in range(2):
        (row,) = run(tmp_path, wan_folder, HALF.replace("[2.0, 1.5]", "[9.0]"))
        assert row["kind"] == "refused" and "no threshold computes 11% of the steps" in row["reason"]
    assert len(probes) == len(set(probes)), "the second time it is known"
