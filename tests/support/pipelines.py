"""Tiny models in place of the pocket, and no network."""

import dataclasses
import socket
from pathlib import Path

import pytest
from tests.report.browser import browser, find_browser
from tests.support.weights import home as home
from tests.support.weights import weights as weights
from tests.tiny.saved import WORDS, save_image_pipeline, save_wan

import navicache.pocket
from navicache.evaluation import lpips_weights
from navicache.pocket.members import MEMBERS


@pytest.fixture(scope="session")
def wan_folder(tmp_path_factory) -> Path:
    return save_wan(tmp_path_factory.mktemp("tiny") / "wan")


@pytest.fixture(scope="session")
def image_folder(tmp_path_factory) -> Path:
    return save_image_pipeline(tmp_path_factory.mktemp("tiny") / "image")


@pytest.fixture(scope="module")
def tab():
    """A page of a real browser."""
    if find_browser() is None:
        pytest.skip("no Chromium found: apt install chromium brings it")
    with browser() as opened:
        yield opened


@pytest.fixture(autouse=True)
def no_network(request, monkeypatch):
    """Whoever connects fails, but for a browser's tests: it is spoken to over a socket of this machine."""

    def refuse(*_):
        raise AssertionError("a test must not use the network")

    if "tab" not in request.fixturenames:
        monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(autouse=True)
def pocket(monkeypatch, wan_folder):
    """The embedded model's interface over the tiny one, and no weights of LPIPS."""
    monkeypatch.setattr(lpips_weights, "find_weights_folder", lambda name: None)
    monkeypatch.setattr(navicache.pocket, "checkpoint_path", lambda name="wan": wan_folder)
    prompts = ("a red ball moves left", "a blue cat moves right", "a cat")
    monkeypatch.setattr(navicache.pocket, "PROMPTS", prompts)
    monkeypatch.setitem(MEMBERS, "wan", dataclasses.replace(MEMBERS["wan"], caption=prompts[0]))
    monkeypatch.setattr(
        navicache.pocket, "find_unknown_words", lambda text: [w for w in text.lower().split() if w not in WORDS]
    )
