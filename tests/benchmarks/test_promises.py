"""The targets' promises in miniature."""

import importlib
import json
from pathlib import Path

import pytest
from tests.pocket import tiny_checkpoint

SCRIPTS = Path(__file__).parents[2] / "benchmarks"
SMALL = ["--size", "32", "--frames", "5", "--device", "cpu", "--trained-videos", "100", "--steps", "12"]


@pytest.fixture
def promises(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    return importlib.import_module("promises")


def test_both_promises_are_told(promises, tmp_path, capsys):
    places = ["--checkpoint", str(tiny_checkpoint.save(tmp_path / "model")), "--out", str(tmp_path / "found.json")]
    found = promises.main([*SMALL, *places, "--prompts", "2", "--speedups", "2", "--limit", "0.9"])
    assert json.loads((tmp_path / "found.json").read_text()) == found
    assert found["speedup"] == {"2.0": [6, 6]}
    assert all(row["reused"] == len(row["errors"]) > 0 for row in found["max_error"])
    told = capsys.readouterr().out
    assert "speedup=2.0, 2 prompts: 6 to 6 computed, 0.0 % off at most" in told
    assert "max_error=0.9, 2 prompts" in told


def test_what_is_within_the_limit_is_counted(promises):
    rows = [{"reused": 2, "errors": [0.01, 0.06]}, {"reused": 4, "errors": [0.01] * 4}]
    told = promises.report({"steps": 10, "limit": 0.05, "max_error": rows, "speedup": {}})
    assert "30.0 % of the steps reused (20 % at least)" in told
    assert "within the limit at 83.3 % of them (50 % in the worst prompt), largest 0.060" in told
