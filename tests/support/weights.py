"""Weights of LPIPS for a test: none of the machine's, or made-up ones that are taken for the published."""

from pathlib import Path

import pytest
from tests.evaluation import made_up
from torch import Tensor

from navicache.evaluation import lpips_weights


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that NAVICACHE_HOME names, which does not exist, and no packaged weights."""
    folder = tmp_path / "home"
    monkeypatch.setenv("NAVICACHE_HOME", str(folder))
    monkeypatch.setattr(lpips_weights, "find_weights_folder", lambda name: None)
    return folder


@pytest.fixture
def weights(monkeypatch: pytest.MonkeyPatch) -> dict[str, Tensor]:
    """Made-up weights whose digits are taken for the published ones'."""
    tensors = made_up.weights()
    made_up.accept(monkeypatch, tensors)
    return tensors
