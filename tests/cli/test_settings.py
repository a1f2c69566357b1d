"""`navicache generate --settings` and `--quality`: read before the model, and taken by the run."""

from pathlib import Path

import pytest
from diffusers import WanPipeline
from tests.cli.common import SMALL
from tests.support.commands import refused
from tests.support.tuned import tuned_file

from navicache import Trace
from navicache.cli import main

PROMPT = ("--prompt", "a red ball moves left")


@pytest.fixture
def settings(tmp_path: Path, wan_folder: Path) -> Path:
    config = dict(WanPipeline.from_pretrained(wan_folder).transformer.config)
    return tuned_file(tmp_path, "WanTransformer3DModel", config, steps=8, guidance=5.0)


def generated(out: Path, *options: str) -> tuple[str, tuple[int, ...]]:
    assert main(["generate", *PROMPT, *SMALL, "--out", str(out), *options]) == 0
    (run,) = Trace.load(out / "trace.json").runs
    return run.policy, run.computed_steps()


def test_a_settings_file_and_its_quality(tmp_path, settings):
    assert generated(tmp_path / "a", "--settings", str(settings)) == ("schedule", (0, 1, 2))
    assert generated(tmp_path / "b", "--settings", str(settings), "--quality", "high") == ("schedule", (0, 1, 2, 4, 6))


def test_a_run_that_departs_is_said(tmp_path, settings, capsys):
    policy, steps = generated(tmp_path, "--settings", str(settings), "--guidance", "3")
    assert (policy, len(steps)) == ("inertial", 2)
    assert "guidance 3.0, not 5.0" in " ".join(capsys.readouterr().out.split())


def test_a_quality_alone(tmp_path, capsys):
    assert len(generated(tmp_path, "--quality", "high")[1]) == 4
    assert "not measured on this model" in " ".join(capsys.readouterr().out.split())


def test_what_is_wrong_is_said_before_the_model_is_loaded(tmp_path, settings, capsys, monkeypatch):
    monkeypatch.setattr("navicache.generation.loading.load_pipeline", lambda _: pytest.fail("loaded"))
    call = ("generate", *PROMPT, "--settings", str(settings))
    assert "settings and speedup exclude each other" in refused(capsys, *call, "--speedup", "2")
    assert "no setting was measured to be 'fast'" in refused(capsys, *call, "--quality", "fast")
    assert "cannot read the settings" in refused(capsys, "generate", *PROMPT, "--settings", tmp_path / "none.json")
    assert "quality and mode exclude each other" in refused(
        capsys, "generate", *PROMPT, "--quality", "high", "--mode", "fast"
    )
