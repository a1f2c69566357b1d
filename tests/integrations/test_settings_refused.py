"""What a settings file or a quality cannot be, before anything is attached; and a quality alone."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.toys import COND, Toy, denoise
from tests.support.tuned import rewrite, tuned, tuned_file

import navicache
from navicache.integrations.attachments import find_attachment
from navicache.integrations.config import NaviCacheConfig
from navicache.models import SPEEDUP_OF_QUALITY, TunedChoice

EXCLUDED: list[dict[str, Any]] = [
    {"policy": "inertial"},
    {"mode": "fast"},
    {"speedup": 2.0},
    {"threshold": 0.1},
    {"max_error": 0.1},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tuned_file(tmp_path, "Toy")


def refuse(said: str, **how: Any) -> None:
    toy = Toy()
    with pytest.raises(ValueError, match=said):
        navicache.enable(toy, **how)
    assert find_attachment(toy) is None


@pytest.mark.parametrize("other", EXCLUDED, ids=str)
def test_settings_have_their_own_policy_and_target(other, path):
    (name,) = other
    refuse(f"settings and {name} exclude each other", settings=path, **other)
    refuse(f"settings and {name} exclude each other", settings=path, quality="high", **other)
    refuse(f"quality and {name} exclude each other", quality="high", **other)


def test_a_calibration_is_one_policys(path, tmp_path):
    calibration = tmp_path / "cal.json"
    entries = '{"format": 1, "method": "teacache", "model": "Toy", "knobs": {}, "quality": {}, "about": {}}'
    calibration.write_text(entries)
    refuse("settings and calibration exclude each other", settings=path, calibration=calibration)


def test_a_quality_must_be_known_and_measured(path):
    refuse("quality must be one of 'lossless', 'high', 'fast', got 'best'", quality="best")
    refuse("no setting was measured to be 'best'", settings=path, quality="best")
    refuse(r"no setting was measured to be 'fast' on this model \(known: high\)", settings=path, quality="fast")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"format": 2}, "is of format 2, and this version reads 1: tune again"),
        ({"model": None}, "is no settings file: make one with `navicache tune`"),
        ({"run": None}, "is no settings file"),
        ({"choice": None}, "is no settings file"),
        ({"choice": {"policy": "schedule", "knobs": {}}}, "is no settings file"),
        ({"choice": {"policy": 3, "knobs": {}, "speedup": 2.0, "scores": {}}}, "is no settings file"),
        ({"choice": {"policy": "inertial", "knobs": {}, "speedup": "2", "scores": {}}}, "is no settings file"),
        ({"config": "none"}, "is no settings file"),
        ({"qualities": []}, "is no settings file"),
    ],
    ids=str,
)
def test_a_damaged_file_is_refused_by_name(changed, said, path):
    refuse(rf"tuned\.json {said}", settings=rewrite(path, **changed))


@pytest.mark.parametrize(("text", "said"), [("{", "is no JSON file"), ("[1]", "is no settings file"), ("3", "is no")])
def test_another_file_is_refused_by_name(text, said, path):
    path.write_text(text)
    refuse(rf"tuned\.json {said}", settings=path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    refuse(r"cannot read the settings .*none\.json: No such file", settings=tmp_path / "none.json")


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (TunedChoice("inertia", {}, 2.0), "unknown policy 'inertia'"),
        (TunedChoice("inertial", {"sped_up": 2.0}, 2.0), "policy 'inertial' has no knob 'sped_up'"),
        (TunedChoice("inertial", {"speedup": 0.5}, 2.0), "speedup must be"),
        (TunedChoice("inertial", {}, 0.5), "speedup must be"),
        (TunedChoice("inertial", {"site": "blocks"}, 2.0), "'inertial' inside the model, .* tune again"),
        (TunedChoice("pab", {}, 2.0), "'pab' inside the model"),
    ],
    ids=str,
)
def test_a_choice_that_no_engine_can_take_is_refused(choice, said, tmp_path):
    replace(tuned("Toy"), choice=choice).save(tmp_path / "tuned.json")
    refuse(said, settings=tmp_path / "tuned.json")


@pytest.mark.parametrize("quality", SPEEDUP_OF_QUALITY)
def test_a_quality_alone_is_a_speed_up_that_was_not_measured(quality, caplog):
    toy = Toy()
    with caplog.at_level(logging.WARNING, "navicache"), navicache.enable(toy, quality=quality, steps=12) as cache:
        list(denoise(toy, lambda _: [COND], steps=12))
    run = cache.trace.runs[-1]
    assert (run.policy, run.computed) == ("inertial", 12 / SPEEDUP_OF_QUALITY[quality])
    (note,) = cache.notes
    assert "not measured on this model" in note and "`navicache tune`" in note
    assert f"note: {note}" in cache.summary()
    assert [record.getMessage() for record in caplog.records] == [note]


def test_other_knobs_may_be_changed(path):
    toy = Toy()
    with navicache.enable(toy, settings=path, align_steps=4, steps=16) as cache:
        list(denoise(toy, lambda _: [COND]))
    assert cache.trace.runs[-1].computed_steps() == (0, 1, 2, 3, 8)


def test_a_config_of_diffusers_takes_both(path):
    config = NaviCacheConfig(settings=str(path), quality="high")
    asked = config.to_enable_arguments()
    assert asked == {"policy": None, "mode": None, "steps": None, "settings": str(path), "quality": "high"}
    assert NaviCacheConfig(quality="fast").to_enable_arguments()["quality"] == "fast"
    for wrong, said in (
        ({"settings": path, "speedup": 2.0}, "settings and speedup exclude each other"),
        ({"settings": path, "quality": "fast"}, "no setting was measured"),
        ({"settings": "none.json"}, "cannot read the settings"),
        ({"quality": "best"}, "quality must be one of"),
    ):
        with pytest.raises(ValueError, match=said):
            NaviCacheConfig(**wrong)
