"""Weights of LPIPS for a test: none of the machine's, or made-up ones that are taken for the published."""

from pathlib import Path

import pytest
from tests.evaluation import made_up
from torch import Tensor

from navicache.evaluation.lpips_weights import file


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for fetched files: a new one, and no packaged weights beside it."""
    folder = tmp_path / "home"
    monkeypatch.setenv("NAVICACHE_HOME", str(folder))
    monkeypatch.setattr(file, "packaged", lambda name: None)
    return folder


@pytest.fixture
def weights(monkeypatch: pytest.MonkeyPatch) -> dict[str, Tensor]:
    """Made-up weights whose digits are taken for the published ones'."""
    tensors = made_up.weights()
    made_up.accept(monkeypatch, tensors)
    return tensors
