"""Predictions against the truth: shares, quantiles, and the words about them."""

import json
import math
from dataclasses import replace

import pytest

from navicache.records import (
    RunRecord,
    StepRecord,
    Trace,
    collect_reuse_checks,
    compute_share_within_limit,
    compute_share_within_prediction,
    summarise,
)


def shadow_run(errors, believed=0.1, belief="predicted_change", **fields) -> RunRecord:
    """Two computes, then a reuse for every error."""
    steps = [StepRecord(index=i, stream="cond", computed=True, reason="align", reuse_error=9.0) for i in range(2)]
    for i, error in enumerate(errors, start=2):
        known = {"predicted_change": believed, "accumulated": 2 * believed}
        steps.append(StepRecord(index=i, stream="cond", computed=False, reason="gate", reuse_error=error, **known))
        steps.append(StepRecord(index=i, stream="uncond", computed=False, reason="follows"))
    return RunRecord(model="Toy", policy="inertial", steps=tuple(steps), shadow="cached", belief=belief, **fields)


def test_only_reused_steps_of_the_leading_stream_are_checked():
    steps = collect_reuse_checks(shadow_run([0.05, 0.2]))
    assert [(step.index, step.predicted_error, step.true_error) for step in steps] == [(2, 0.1, 0.05), (3, 0.1, 0.2)]


@pytest.mark.parametrize(("belief", "share"), [("predicted_change", 0.5), ("accumulated", 1.0), (None, None)])
def test_the_belief_says_which_field_counts(belief, share):
    steps = collect_reuse_checks(shadow_run([0.05, 0.2], belief=belief))
    assert compute_share_within_prediction(steps) == share
    assert compute_share_within_limit(steps, 0.01) == 0.0
    assert compute_share_within_limit((), 1.0) is None


def test_the_summary_to_the_letter():
    run = shadow_run([0.01 * i for i in range(1, 11)], believed=0.07, settings={"max_error": 0.08})
    assert summarise([run], details=False, width=200).split("\n") == [
        "inertial on Toy: shadow (cached): every step was computed; 10 of 12 steps would have been reused",
        "■■··········",
        "true error of those: median 0.05, 90 % 0.09, largest 0.1; 70% within the predicted (at most 0.07), "
        "80% within max_error 0.08",
    ]


def test_a_policy_that_predicts_nothing_and_an_error_that_is_no_number():
    text = summarise([shadow_run([0.5, math.nan], belief=None)], details=False, width=200)
    assert text.endswith("largest 0.5, 1 not finite; the policy predicts no error to compare with")


def test_a_run_that_reused_nothing():
    text = summarise([shadow_run([])], details=False)
    assert text == "inertial on Toy: shadow (cached): every step was computed; 0 of 2 steps would have been reused\n■■"


def test_json_in_and_out_and_old_files():
    trace = Trace((shadow_run([0.1]),))
    assert Trace.from_json(trace.to_json()) == trace
    plain = RunRecord(model="Toy", policy="static")
    document = json.loads(Trace((plain,)).to_json())
    assert not {"shadow", "belief"} & set(document["runs"][0])
    assert Trace.from_json(json.dumps(document)).runs == (plain,)


@pytest.mark.parametrize("wrong", [{"shadow": "half"}, {"belief": "ratio"}, {"shadow": 1}])
def test_other_words_are_refused(wrong):
    run = {"model": "Toy", "policy": "static", **wrong}
    with pytest.raises(ValueError, match=r"runs\[0\]\.(shadow|belief) must be null or one of .*; save it again"):
        Trace.from_json(json.dumps({"format": "navicache trace", "version": 1, "runs": [run]}))


def test_a_limit_is_kept_if_every_output_keeps_it():
    run = shadow_run([0.05, 0.2])
    worse = [replace(step, other_errors={"1": 0.3, "2": math.nan}) for step in run.steps]
    steps = collect_reuse_checks(replace(run, steps=tuple(worse)))
    assert {step.largest_error for step in steps} == {0.3}
    assert [compute_share_within_limit(steps, limit) for limit in (0.25, 0.3)] == [0.0, 1.0]
    assert [compute_share_within_limit(collect_reuse_checks(run), limit) for limit in (0.1, 0.25)] == [0.5, 1.0]
