"""A trace in a file."""

import json

import pytest
from tests.records.common import DOCUMENT, RUN, STEP
from tests.support.files import names_in

from navicache.records import RunRecord, StepRecord, Trace


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
