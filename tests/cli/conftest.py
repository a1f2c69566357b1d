"""Tiny models in place of the pocket, and no network."""

import importlib.util
import socket
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.tiny.saved import WORDS, save_image_pipeline, save_wan


@pytest.fixture(scope="session")
def wan_folder(tmp_path_factory) -> Path:
    return save_wan(tmp_path_factory.mktemp("tiny") / "wan")


@pytest.fixture(scope="session")
def image_folder(tmp_path_factory) -> Path:
    return save_image_pipeline(tmp_path_factory.mktemp("tiny") / "image")


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("a test must not use the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(autouse=True)
def pocket(monkeypatch, wan_folder):
    """The embedded model's interface over the tiny one."""
    package, words = ModuleType("navicache.pocket"), ModuleType("navicache.pocket.words")
    package.checkpoint_path = lambda: wan_folder
    package.PROMPTS = ("a red ball moves left", "a blue cat moves right", "a cat")
    words.unknown = lambda text: [word for word in text.lower().split() if word not in WORDS]
    monkeypatch.setitem(sys.modules, "navicache.pocket", package)
    monkeypatch.setitem(sys.modules, "navicache.pocket.words", words)


@dataclass(frozen=True)
class StandIn:
    """Until `navicache.evaluation` is there."""

    psnr: float
    psnr_pooled: float
    ssim: float = 0.5
    lpips: float | None = None
    lpips_missing: str | None = "stand-in"
    flickering: float = 1.0
    flickering_reference: float = 1.0

    def to_dict(self):
        return asdict(self)


def stand_in(reference, video):
    errors = np.maximum(((reference.astype(float) - video) ** 2).mean((1, 2, 3)), 1e-10)
    return StandIn(float((-10 * np.log10(errors)).mean()), float(-10 * np.log10(errors.mean())))


@pytest.fixture(autouse=True)
def evaluation(monkeypatch):
    if importlib.util.find_spec("navicache.evaluation") is None:
        module = ModuleType("navicache.evaluation")
        module.compare = stand_in
        monkeypatch.setitem(sys.modules, "navicache.evaluation", module)
