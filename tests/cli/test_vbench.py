"""`navicache vbench` and `bench --vbench-results`: deprecated, and handed over to the clone."""

import sys

import pytest
from tests.cli.bench.test_command import plan as plan
from tests.support.commands import refused

from navicache.cli import main


@pytest.fixture
def called(monkeypatch) -> list[list[str]]:
    """What would be run."""
    found: list[list[str]] = []
    monkeypatch.setattr("subprocess.call", lambda command: found.append(command) or 3)
    return found


def test_in_a_clone_all_arguments_are_handed_over(called, tmp_path, monkeypatch, capsys):
    (tmp_path / "benchmarks" / "vbench").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert main(["vbench", "--list", "RESULTS", "--python", "PATH"]) == 3
    assert called == [[sys.executable, "-m", "benchmarks.vbench", "--list", "RESULTS", "--python", "PATH"]]
    assert "navicache vbench is deprecated: use `python -m benchmarks.vbench" in capsys.readouterr().err


def test_scores_from_elsewhere_are_handed_over(called, tmp_path, monkeypatch, plan):
    (tmp_path / "benchmarks" / "vbench").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert main(["bench", str(plan), "--out", "OUT", "--vbench-results", "SCORES"]) == 3
    assert called[0][3:] == ["OUT", "--results", "SCORES"]


def test_elsewhere_the_new_place_is_named(called, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert "python -m benchmarks.vbench` in a clone" in refused(capsys, "vbench", "RESULTS")
    assert called == []
