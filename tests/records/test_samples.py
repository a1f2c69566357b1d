"""A batch's trace, taken apart."""

import pytest

from navicache.records import RunRecord, StepRecord, Trace, split_by_sample


def batch(samples, streams=("cond", "uncond")):
    """Sample n computes the first n + 1 of three steps."""
    steps = (
        StepRecord(index=index, stream=stream, computed=index <= sample, reason="gate", sample=sample)
        for index in range(3)
        for stream in streams
        for sample in range(samples)
    )
    return RunRecord(model="Toy", policy="navicache", settings={"threshold": 0.1}, total=3, steps=tuple(steps))


def test_each_sample_is_as_if_it_had_run_alone():
    first, second = split_by_sample(Trace((batch(2),)), 2)
    assert first == split_by_sample(Trace((batch(1),)), 1)[0]
    assert [trace.runs[0].computed for trace in (first, second)] == [1, 2]
    assert second.runs[0].samples == 1 and second.runs[0].streams == ("cond", "uncond")
    assert second.runs[0].settings == {"threshold": 0.1}


def test_one_decision_counts_for_all():
    traces = split_by_sample(Trace((batch(1), batch(1))), 4)
    assert len(traces) == 4 and {len(trace.runs) for trace in traces} == {2}
    assert {run.computed for trace in traces for run in trace.runs} == {1}
    assert split_by_sample(Trace(), 2) == [Trace(), Trace()]


def test_samples_that_are_not_those_of_the_batch_are_refused():
    with pytest.raises(ValueError, match="saw 3 samples in a batch of 2: run one at a time, with batch = 1"):
        split_by_sample(Trace((batch(3),)), 2)
