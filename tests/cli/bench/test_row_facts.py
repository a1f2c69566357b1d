"""What one job says of itself."""

from tests.evaluation.bench.toy import toy_groups
from tests.records.common import run_of
from tests.support.takes import trace

from navicache import StepRecord, Trace
from navicache.cli.bench.row_facts import describe_job, describe_steps
from navicache.evaluation.bench.jobs import iterate_jobs

JOB = next(job for job in iterate_jobs(toy_groups()) if job.kind == "cached")


def test_what_was_asked_for():
    row = describe_job(JOB)
    assert (row["key"], row["group"], row["kind"]) == (JOB.key, JOB.group, "cached")
    assert (row["model"], row["policy"], row["prompt"], row["seed"]) == ("toy", "navicache", "a cat", 0)
    assert row["swept"] == {"threshold": 0.05} and row["arguments"] == {"num_inference_steps": 8}


def test_steps_are_counted_over_all_transformers():
    found = describe_steps(trace("CCrr", "Cr", settings={"threshold": 0.05}), JOB)
    assert found["steps"] == {"total": 6, "computed": 3, "partial": 0}
    assert found["knobs"] == {"threshold": 0.05}


def test_without_a_cache_every_step_is_computed():
    found = describe_steps(Trace(), JOB)
    assert found["steps"] == {"total": 8, "computed": 8, "partial": 0} and found["knobs"] == {}


def test_steps_of_which_a_part_was_reused_are_computed_and_counted_apart():
    reasons = ("align", "reuses self_attention", "gate")
    steps = [StepRecord(index=i, stream="0", computed=True, reason=reason) for i, reason in enumerate(reasons)]
    assert describe_steps(Trace((run_of(steps),)), JOB)["steps"] == {"total": 3, "computed": 3, "partial": 1}
