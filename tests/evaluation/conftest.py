"""No test here sees the weights of the machine, unless it takes them by their path."""

import pytest

from navicache.evaluation.lpips_weights import file


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    monkeypatch.setenv("NAVICACHE_HOME", str(folder))
    monkeypatch.setattr(file, "packaged", lambda name: None)
    return folder
