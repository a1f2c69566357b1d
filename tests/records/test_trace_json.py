"""A trace survives its file, or says why it cannot be read."""

import json
import math
import os
import stat
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navicache.records import RunRecord, StepRecord, Trace, atomic_file

MEASURED = [entry.name for entry in fields(StepRecord) if entry.default is None]
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
STEP = {"index": 0, "stream": "cond", "computed": True, "reason": "align"}
RUN = {"model": "Toy", "policy": "navicache", "steps": [STEP]}
DOCUMENT = {"format": "navicache trace", "version": 1, "runs": [RUN]}


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


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
    ],
)
def test_a_broken_document_says_where_and_what_to_do(document, message):
    with pytest.raises(ValueError, match=f"{message}.*; save it again with Trace.save, or update navicache"):
        Trace.from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", '{"a": NaN}', "[" * 100_000])
def test_text_that_is_no_strict_json(text):
    with pytest.raises(ValueError, match=r"not strict JSON.*save it again"):
        Trace.from_json(text)


@pytest.mark.parametrize("version", [0, 2, "1", None, True])
def test_an_unknown_version_asks_for_an_update(version):
    with pytest.raises(ValueError, match="reads version 1: update navicache"):
        Trace.from_json(json.dumps({**DOCUMENT, "version": version}))


def test_a_step_twice_in_a_file_is_refused():
    with pytest.raises(ValueError, match="recorded 2 times"):
        Trace.from_json(json.dumps({**DOCUMENT, "runs": [{**RUN, "steps": [STEP, STEP]}]}))


def test_save_and_load(tmp_path):
    trace = Trace((RunRecord(model="Modèle", policy="navicache", steps=(StepRecord(**STEP),)),))
    trace.save(tmp_path / "trace.json")
    assert Trace.load(str(tmp_path / "trace.json")) == trace
    assert names_in(tmp_path) == ["trace.json"]


def test_load_names_the_file(tmp_path):
    (tmp_path / "old.json").write_text("{")
    (tmp_path / "picture.json").write_bytes(b"\x89PNG\xff")
    with pytest.raises(ValueError, match=r"old\.json: not a readable trace"):
        Trace.load(tmp_path / "old.json")
    with pytest.raises(ValueError, match=r"picture\.json: .*not UTF-8 text"):
        Trace.load(tmp_path / "picture.json")


def test_a_failing_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "trace.json"
    Trace().save(path)
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), atomic_file(path) as file:
        file.write(b"half")
        file.flush()
        assert path.read_bytes() == before
        raise KeyboardInterrupt
    assert path.read_bytes() == before
    assert names_in(tmp_path) == ["trace.json"]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, failing):
    path = tmp_path / "trace.json"
    path.write_text("old")

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="no space left"):
        Trace().save(path)
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["trace.json"]


def test_a_saved_file_has_the_usual_rights(tmp_path):
    (tmp_path / "plain").touch()
    Trace().save(tmp_path / "trace.json")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "trace.json")}
    assert len(modes) == 1


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"create the folder .*nowhere first"):
        Trace().save(tmp_path / "nowhere" / "trace.json")
