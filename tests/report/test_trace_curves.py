"""The numbers behind the picture of a run."""

import math

import pytest
from tests.records.common import row, run_of

from navicache.records import StepRecord
from navicache.report.trace_curves import drop_gaps, read_curves, read_rows


def step(index: int, **measured) -> StepRecord:
    return StepRecord(index=index, stream="cond", computed=True, reason="gate", **measured)


def test_what_is_unknown_or_not_finite_is_a_gap():
    run = run_of([step(0), step(1, ratio=2.0), step(2, ratio=math.inf), step(3, ratio=math.nan)])
    curves = read_curves(run, 0)
    assert drop_gaps(curves["ratio"]) == [2.0] and len(curves["ratio"]) == 4
    assert curves["index"] == [0, 1, 2, 3] and curves["computed"] == [1, 1, 1, 1]


def growing(**settings):
    steps = [step(0), step(1, ratio=3.0, predicted_change=0.5, reuse_error=0.1), step(2, ratio=3.0, reuse_error=0.1)]
    return run_of(steps, policy="inertial", belief="predicted_change", settings=settings)


def test_growth_is_held_against_the_true_error_over_the_distance():
    assert drop_gaps(read_curves(growing(), 0)["measured_ratio"]) == pytest.approx([0.1 * 3.0 / 0.5])


def test_beneath_a_margin_the_measured_growth_is_unknown():
    assert drop_gaps(read_curves(growing(max_error=0.1), 0)["measured_ratio"]) == []


def test_a_row_for_each_stream_or_for_each_of_several_samples():
    streams = run_of(row("Cr", "0"), row("CC", "uncond"))
    assert [name for name, _ in read_rows(streams, 0)] == ["stream 0", "uncond"]
    samples = run_of(row("Cr"), row("CC", sample=1))
    assert [(name, [step.computed for step in steps]) for name, steps in read_rows(samples, 0)] == [
        ("sample 0", [True, False]),
        ("sample 1", [True, True]),
    ]
