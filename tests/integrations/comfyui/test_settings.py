"""A settings file in ComfyUI: its choice where steps and noise levels fit, the default and a line where they do not."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.comfyui.loops import generate, levels, report_of
from tests.integrations.comfyui.standin import Model, Network, Patcher
from tests.support.tuned import tuned_file

from navicache_comfyui import attach

STEPS = 16


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tuned_file(tmp_path, "Network", noise_levels=tuple(levels(STEPS).tolist()), guidance=4.0)


def ran(patched: Any, steps: int = STEPS, shift: float = 3.0, **how: Any) -> tuple[str, int, tuple[str, ...]]:
    generate(patched, sigmas=levels(steps, shift), **how)
    report = report_of(patched)
    (run,) = report.trace.runs
    return run.policy, run.computed, report.notes


def test_a_run_that_fits_takes_the_choice(path: Path) -> None:
    assert ran(attach(Patcher(Model()), settings=str(path))) == ("schedule", 4, ())
    assert ran(attach(Patcher(Model()), settings=f" {path} ", quality="high")) == ("schedule", 8, ())


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"steps": 12}, "12 steps, not 16"),
        ({"shift": 5.0}, "other noise levels"),
        ({"cfg": 6.0}, "guidance 6.0, not 4.0"),
    ],
)
def test_a_run_that_departs_is_reported(path: Path, how: Any, said: str, caplog: pytest.LogCaptureFixture) -> None:
    patched = attach(Patcher(Model()), settings=str(path))
    with caplog.at_level(logging.WARNING, "navicache"):
        policy, computed, notes = ran(patched, **how)
        assert (policy, computed) == ("inertial", 6)  # a quarter would be too few
        assert said in notes[0] and said in report_of(patched).summary
        assert "leaves too few of them" in notes[1]
        ran(patched, **how)
    assert len(caplog.records) == 1
    assert ran(patched) == ("schedule", 4, ())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"settings": "  "}, "no settings file is named"),
        ({"settings": "none.json"}, "cannot read the settings"),
        ({"speedup": 2.0}, "settings and speedup exclude each other"),
        ({"policy": "inertial"}, "settings and policy exclude each other"),
        ({"quality": "mid"}, "quality must be one of 'lossless', 'high', 'fast', got 'mid'"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_patched(path: Path, asked: dict[str, Any], said: str) -> None:
    model = Patcher(Model())
    with pytest.raises(ValueError, match=said):
        attach(model, **{"settings": str(path), **asked})
    assert model.wrappers == {}


def test_a_settings_file_of_another_model_is_refused(tmp_path: Path) -> None:
    class WanModel(Network):
        def __init__(self) -> None:
            super().__init__()
            self.in_dim, self.num_layers, self.text_dim = 16, 40, 4096

    path = str(tuned_file(tmp_path, "WanTransformer3DModel", {"in_channels": 16, "num_layers": 40, "ffn_dim": 1}))
    assert attach(Patcher(Model(WanModel())), settings=path).wrappers
    small = str(tuned_file(tmp_path, "WanTransformer3DModel", {"in_channels": 16, "num_layers": 30}))
    with pytest.raises(ValueError, match="num_layers"):
        attach(Patcher(Model(WanModel())), settings=small)
    with pytest.raises(ValueError, match="the model is a Network"):
        attach(Patcher(Model()), settings=small)
