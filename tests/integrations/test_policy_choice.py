"""Which policy is meant, and with which settings."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from tests.integrations.common import (
    params,
    reused,
)
from tests.tiny import TINY

import navicache


@pytest.mark.parametrize("name", params("flux", "wan", "wan22", "cogvideox", "hunyuan"))
def test_models_without_a_published_setting_are_named(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "navicache"), navicache.enable(TINY[name].build(), "navicache") as cache:
        text = cache.summary()
    warned = [record.getMessage() for record in caplog.records if record.name == "navicache"]
    assert warned == list(cache.notes)
    assert all(note in text for note in cache.notes)
    assert bool(cache.notes) == (name != "hunyuan")
    if name == "flux":
        assert "no setting is published for FLUX.1" in text
    caplog.clear()
    for knobs in (
        {"threshold": 0.1},
        {},
    ):  # who names a threshold needs no advice, and a speed-up means the same everywhere
        with caplog.at_level(logging.WARNING, "navicache"), navicache.enable(TINY[name].build(), **knobs) as cache:
            assert not cache.notes
        assert not caplog.records


def test_the_default_meets_the_papers_speed_up_on_a_long_run() -> None:
    pipe = TINY["wan"].build()
    with navicache.enable(pipe, mode="fast") as cache:
        TINY["wan"].call(pipe, steps=30)
    (run,) = cache.trace.runs
    assert (run.policy, run.settings["speedup"]) == ("inertial", 2.23)
    assert run.computed == 13


@pytest.mark.parametrize(
    ("asked", "policy", "target"),
    [
        ({}, "inertial", ("speedup", 2.01)),
        ({"max_error": 0.1}, "inertial", ("max_error", 0.1)),
        ({"threshold": 0.06}, "navicache", ("threshold", 0.06)),
        ({"policy": "navicache", "paper_text": True}, "navicache", ("threshold", 0.05)),
        ({"threshold": 0.06, "align_steps": 4}, "navicache", ("align_steps", 4)),
        ({"speedup": 1.5, "amends": False}, "inertial", ("amends", False)),
        ({"policy": "inertial", "threshold": 0.2}, "inertial", ("threshold", 0.2)),
        ({"policy": "inertial", "threshold": 0.2, "amends": False}, "inertial", ("threshold", 0.2)),
    ],
    ids=str,
)
def test_which_policy_is_meant(asked: dict[str, Any], policy: str, target: tuple[str, float]) -> None:
    pipe = TINY["wan"].build()
    with navicache.enable(pipe, **asked) as cache:
        TINY["wan"].call(pipe, steps=16)
    (run,) = cache.trace.runs
    assert (run.policy, run.settings[target[0]]) == (policy, target[1])


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"amends": False}, 'amends is a knob of inertial: .* enable\\(target, "inertial", amends=...\\)'),
        ({"threshold": 0.2, "amends": False}, "amends is a knob of inertial"),
        ({"align_steps": 5}, "align_steps is a knob of navicache, .*seacache"),
        ({"speedup": 2.0, "paper_text": True}, "paper_text is a knob of navicache"),
        ({"treshold": 0.1}, "no policy has a knob 'treshold': did you mean 'threshold'"),
    ],
    ids=str,
)
def test_a_knob_without_its_policy_is_refused_and_told_whose_it_is(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        navicache.enable(TINY["wan"].build(), **asked)


def test_two_targets_are_refused_in_words_of_the_policy_that_has_them() -> None:
    with pytest.raises(ValueError, match="speedup and threshold exclude each other"):
        navicache.enable(TINY["wan"].build(), speedup=2.0, threshold=0.1)


@pytest.mark.parametrize(("threshold", "is_told"), [(0.3, True), (3000.0, False)])
def test_a_threshold_of_the_code_with_the_papers_text_is_told(threshold: float, is_told: bool) -> None:
    pipe = TINY["wan"].build()
    with navicache.enable(pipe, "navicache", threshold=threshold, align_steps=4, paper_text=True) as cache:
        TINY["wan"].call(pipe, steps=16)
    assert (reused(cache) == 0) is is_told is ("or nothing is reused" in cache.summary().replace("\n", " "))


def test_the_papers_setting_on_a_long_run() -> None:
    pipe = TINY["wan"].build()
    with navicache.enable(pipe, "navicache", mode="fast") as cache:
        TINY["wan"].call(pipe, steps=30)
    assert reused(cache) > 0
    assert cache.trace.runs[0].computed_steps()[:10] == tuple(range(10))
    assert cache.trace.runs[0].settings["threshold"] == 0.07
