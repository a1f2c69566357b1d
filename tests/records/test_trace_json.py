"""A trace survives its file, or says why it cannot be read."""

import json
import math
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records.common import DOCUMENT, RUN, STEP

from navicache.records import RunRecord, StepRecord, Trace

MEASURED = [entry.name for entry in fields(StepRecord) if entry.type == (float | None)]
TEXTS = st.text(max_size=5) | st.sampled_from(["NaN", "Infinity", "float"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
STEPS = st.builds(
    StepRecord,
    index=st.integers(0, 99),
    stream=TEXTS,
    computed=st.booleans(),
    reason=TEXTS,
    sample=st.integers(0, 3),
    **{name: st.none() | st.floats() for name in MEASURED},
    other_errors=st.none() | st.dictionaries(TEXTS, st.floats(), max_size=2),
)
RUNS = st.builds(
    RunRecord,
    model=TEXTS,
    policy=TEXTS,
    settings=st.dictionaries(TEXTS, SCALARS, max_size=4),
    started=TEXTS,
    total=st.none() | st.integers(0, 99),
    steps=st.lists(STEPS, max_size=4, unique_by=lambda s: (s.index, s.sample, s.stream)).map(tuple),
    notes=st.lists(TEXTS, max_size=2).map(tuple),
    finished=st.booleans(),
)


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def with_step(**changes):
    return {**DOCUMENT, "runs": [{**RUN, "steps": [{**STEP, **changes}]}]}


@given(st.lists(RUNS, max_size=3).map(tuple))
def test_round_trip(runs):
    trace = Trace(runs)
    text = trace.to_json()
    json.loads(text, parse_constant=refuse)  # strict
    assert repr(Trace.from_json(text)) == repr(trace)  # repr: NaN is equal to NaN, 1 is not 1.0, "NaN" not NaN


def test_the_document_is_plain():
    step = StepRecord(index=0, stream="cond", computed=True, reason="align", ratio=math.inf, gain=math.nan)
    run = RunRecord(model="Toy", policy="navicache", settings={"threshold": -math.inf}, total=2, steps=(step,))
    document = json.loads(Trace((run,)).to_json())
    assert (document["format"], document["version"]) == ("navicache trace", 1)
    assert document["runs"][0]["steps"] == [{**STEP, "sample": 0, "ratio": "Infinity", "gain": "NaN"}]
    assert document["runs"][0]["settings"] == {"threshold": {"float": "-Infinity"}}


def test_what_is_left_out_takes_its_default():
    (run,) = Trace.from_json(json.dumps(DOCUMENT)).runs
    assert run == RunRecord(model="Toy", policy="navicache", steps=(StepRecord(**STEP),))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], 'no "format": "navicache trace"'),
        ({**DOCUMENT, "format": "other"}, 'no "format": "navicache trace"'),
        ({**DOCUMENT, "runs": {}}, "runs must be a list"),
        ({**DOCUMENT, "extra": 1}, "the document has unknown fields: extra"),
        ({"format": "navicache trace", "version": 1}, "the document lacks fields: runs"),
        ({**DOCUMENT, "runs": [7]}, r"runs\[0\] must be an object"),
        ({**DOCUMENT, "runs": [{"policy": "navicache"}]}, r"runs\[0\] lacks fields: model"),
        ({**DOCUMENT, "runs": [{**RUN, "speed": 2}]}, r"runs\[0\] has unknown fields: speed"),
        ({**DOCUMENT, "runs": [{**RUN, "model": None}]}, r"runs\[0\]\.model must be text"),
        ({**DOCUMENT, "runs": [{**RUN, "total": 2.5}]}, r"runs\[0\]\.total must be a whole number"),
        ({**DOCUMENT, "runs": [{**RUN, "notes": "text"}]}, r"runs\[0\]\.notes must be a list"),
        ({**DOCUMENT, "runs": [{**RUN, "settings": []}]}, r"runs\[0\]\.settings must be an object"),
        ({**DOCUMENT, "runs": [{**RUN, "settings": {"a": []}}]}, r"settings\.a must be a number"),
        ({**DOCUMENT, "runs": [{**RUN, "settings": {"a": {"int": 1}}}]}, r"settings\.a has unknown fields: int"),
        (with_step(bias=1, angle=2), r"runs\[0\]\.steps\[0\] has unknown fields: angle, bias"),
        (with_step(index=True), r"steps\[0\]\.index must be a whole number"),
        (with_step(computed=1), r"steps\[0\]\.computed must be true or false"),
        (with_step(ratio="high"), r"steps\[0\]\.ratio must be a number, null or one of NaN"),
        (with_step(ratio=True), r"steps\[0\]\.ratio must be a number"),
        (with_step(other_errors=0.5), r"steps\[0\]\.other_errors must be null or an object of numbers"),
        (with_step(other_errors={"1": "high"}), r"steps\[0\]\.other_errors\.1 must be a number"),
    ],
)
def test_a_broken_document_says_where_and_what_to_do(document, message):
    with pytest.raises(ValueError, match=f"{message}.*; save it again with Trace.save, or update navicache"):
        Trace.from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", '{"a": NaN}', "[" * 100_000, "9" * 400])
def test_text_that_is_no_strict_json(text):
    with pytest.raises(ValueError, match=r"not strict JSON.*save it again"):
        Trace.from_json(text)


@pytest.mark.parametrize("version", [0, 2, "1", None, True])
def test_an_unknown_version_asks_for_an_update(version):
    with pytest.raises(ValueError, match="reads version 1: update navicache"):
        Trace.from_json(json.dumps({**DOCUMENT, "version": version}))
