"""A run counts its leading stream, over all samples."""

import dataclasses
import math

import pytest
from tests.records.common import row, run_of

from navicache.records import RunRecord


def test_counts_ignore_followers_and_sum_over_samples():
    run = run_of(row("CCrr"), row("CCCC", "uncond"), row("CrrC", sample=1), row("CCCC", "uncond", sample=1))
    assert (run.lead, run.streams, run.samples, run.sample_numbers) == ("cond", ("cond", "uncond"), 2, (0, 1))
    assert (run.computed, run.length, run.speedup) == (4, 8, 2.0)


def test_the_first_record_leads_whatever_its_name():
    run = run_of(row("Cr", "uncond"), row("CC", "cond"))
    assert (run.lead, run.computed) == ("uncond", 1)


def test_schedule_and_columns_of_each_stream_and_sample():
    run = run_of(row("CCrr"), row("CCCC", "uncond"), row("CrrC", sample=1))
    assert run.computed_steps() == (0, 1)
    assert run.computed_steps(sample=1) == (0, 3)
    assert run.computed_steps(stream="uncond") == (0, 1, 2, 3)
    assert run.column("index", sample=1) == (0, 1, 2, 3)
    assert run.column("computed", sample=1) == (True, False, False, True)
    assert run.column("computed") == (True, True, False, False)


def test_a_run_without_steps():
    run = run_of()
    assert (run.lead, run.computed, run.length, run.samples, run.speedup) == (None, 0, 0, 0, 1.0)
    assert run.column("ratio") == ()


def test_nothing_computed_is_an_infinite_speedup():
    assert run_of(row("rr")).speedup == math.inf


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "speed"}, "no field 'speed'.*reuse_error"),
        ({"name": "ratio", "sample": 3}, r"no sample 3.*\[0\]"),
        ({"name": "ratio", "stream": "negative"}, "no stream 'negative'.*cond"),
    ],
)
def test_unknown_names_are_answered_with_the_known_ones(arguments, message):
    with pytest.raises(ValueError, match=message):
        run_of(row("Cr")).column(**arguments)


def test_a_step_may_occur_once_per_sample_and_stream():
    run_of(row("C"), row("C", "uncond"), row("C", sample=1))
    with pytest.raises(ValueError, match="step 0 of stream 'cond', sample 0, is recorded 2 times"):
        run_of(row("CC"), row("C"))


def test_settings_are_scalars_and_a_copy():
    knobs = {"threshold": 0.05}
    run = RunRecord(model="Toy", policy="navicache", settings=knobs)
    knobs["threshold"] = 1.0
    assert run.settings == {"threshold": 0.05}
    assert hash(run) == hash(dataclasses.replace(run))
    with pytest.raises(ValueError, match="'steps' is a list: give a number"):
        RunRecord(model="Toy", policy="static", settings={"steps": [1, 2]})  # pyright: ignore[reportArgumentType]


def test_a_record_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        run_of().policy = "other"  # pyright: ignore[reportAttributeAccessIssue]
