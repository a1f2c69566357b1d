"""What the tests of the scripts share: a small model with random weights, and the scripts themselves."""

import importlib
from pathlib import Path

import pytest
from tests.pocket import tiny_checkpoint

SCRIPTS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return tiny_checkpoint.save(tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture
def script(monkeypatch):
    """A module of the benchmarks; they find each other because they lie side by side."""
    monkeypatch.syspath_prepend(SCRIPTS)
    return importlib.import_module
