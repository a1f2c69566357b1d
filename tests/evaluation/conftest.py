"""No test here sees the weights of the machine, unless it takes them by their path."""

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    monkeypatch.setenv("NAVICACHE_HOME", str(folder))
    return folder
