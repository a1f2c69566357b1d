"""GPU hours before a run: what computing every step takes, and a policy's own budget where it has one."""

import pytest
from tests.cli.bench.test_command import PLAN

from navicache.cli import main
from navicache.cli.bench.gpu_hours import count_computed_steps, format_hours
from navicache.evaluation.bench.jobs import expand_plan, iterate_jobs
from navicache.evaluation.bench.plan_file import parse_plan
from navicache.policies import build_policy

SIZE = ", call = { num_frames = 5, height = 32, width = 48 }"
SMALLER = PLAN.replace("fps = 4", 'fps = 4, timing = { step = 9.0, rest = 18.0, source = "a card" }')
TIMED = SMALLER.replace(SIZE, "")


def jobs_of(text, prompts=("a", "b")):
    return list(iterate_jobs(expand_plan(parse_plan(text), prompts)))


def cells(lines):
    return [[part.strip() for part in line.split("  ") if part.strip()] for line in lines]


def test_every_line_has_its_steps_and_its_source():
    jobs = jobs_of(TIMED)
    policies = {("tiny", job.setting): build_policy("static", **job.setting.knobs) for job in jobs[1:2]}
    *lines, total = cells(format_hours(jobs, policies, None, beside=False))
    assert lines[2:] == [  # 8 steps of 9 s and 18 s beside them are 90 s
        ["tiny", "baseline", "8", "a card", "2", "0.05000"],
        ["tiny", "static interval=2.0", "5", "a card", "2", "0.03500"],
        ["tiny", "static interval=3.0", "8 at most", "a card", "2", "0.05000"],
        ["tiny", "half", "4", "a card", "2", "0.03000"],
        ["tiny", "exact", "8 at most", "a card", "2", "0.05000"],
        ["tiny", "every step, shadow", "8", "a card", "1", "0.02500"],
        ["tiny", "exact, shadow", "8", "a card", "1", "0.02500"],
    ]
    assert total == ["about 0.265 GPU hours at most, without loading, calibrating and scoring"]


def test_a_plain_run_beside_every_cached_one_counts():
    jobs = [job for job in jobs_of(TIMED, ["a"]) if job.setting.name in ("baseline", "half")]
    hours = [row[5] for row in cells(format_hours(jobs, {}, None, beside=True))[2:-1]]
    assert hours == ["0.02500", "0.04000"], "the shorter run and a plain one; a baseline stands alone"


def test_another_size_has_no_published_seconds():
    (line,) = format_hours(jobs_of(SMALLER), {}, None, beside=False)
    assert line.startswith("GPU hours of 12 videos of 'tiny' are unknown: give --seconds-per-step, or `timing`")


def test_seconds_that_are_given_go_before_those_of_the_plan():
    *_, last = cells(format_hours(jobs_of(SMALLER), {}, 36.0, beside=False)[:-1])
    assert last == ["tiny", "exact, shadow", "8", "--seconds-per-step", "1", "0.0800"]
    second = '{ name = "other", model = "pocket", call = { num_inference_steps = 8 } }, { name = "tiny"'
    with pytest.raises(ValueError, match="is of one model at one size: choose by --only"):
        format_hours(jobs_of(SMALLER.replace('{ name = "tiny"', second)), {}, 36.0, beside=False)


def test_a_budget_that_the_plan_names_needs_no_model():
    text = TIMED.replace(
        'policy = "navicache", knobs = { threshold = 0.0 }', 'policy = "inertial", knobs = { speedup = 4.0 }'
    )
    jobs = [job for job in jobs_of(text, ["a"]) if job.kind == "cached" and job.setting.name == "exact"]
    (line,) = cells(format_hours(jobs, {}, None, beside=False))[2:-1]
    assert line == ["tiny", "exact", "2", "a card", "1", "0.01000"]


@pytest.mark.parametrize(
    ("policy", "knobs", "computed"),
    [
        ("inertial", {"speedup": 2.5}, 20),
        ("inertial", {"max_error": 0.05}, None),
        ("schedule", {"at": (0, 1, 4)}, 3),
        ("static", {"interval": 2.0}, 26),
        ("navicache", {}, None),
        ("pab", {}, None),
        ("taylorseer", {}, None),
    ],
)
def test_a_budget_is_known_where_no_measurement_decides(policy, knobs, computed):
    assert count_computed_steps(build_policy(policy, **knobs), 50) == computed


def test_the_list_tells_them_with_the_models_own_presets(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NAVICACHE_HOME", str(tmp_path / "home"))
    (tmp_path / "prompts.txt").write_text("a red ball moves left\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    listed = ["bench", str(tmp_path / "plan.toml"), "--list", "--out", str(tmp_path / "out")]
    assert main([*listed, "--seconds-per-step", "900"]) == 0
    *table, total, jobs = capsys.readouterr().out.splitlines()
    assert ["tiny", "static interval=3.0", "4", "--seconds-per-step", "1", "1.000"] in cells(table)
    assert jobs == "7 jobs in 7 calls"
    assert total.startswith("about 11.2 GPU hours at most")
    assert main(listed) == 0
    assert "GPU hours of 7 videos of 'tiny' are unknown" in capsys.readouterr().out
