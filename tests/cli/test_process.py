"""Exit codes as a shell sees them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.common import STATIC
from tests.support.files import names_in
from tests.support.processes import killed_after

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HF_HUB_OFFLINE": "1"}
PATIENCE = 120  # seconds, on a busy machine


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "navicache", "generate", "--prompt", "a cat", *map(str, arguments)]


def refused_by_shell(*arguments: object) -> str:
    done = subprocess.run(command(*arguments), capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.fixture
def out(tmp_path) -> Path:
    return tmp_path / "out"


def test_a_folder_that_is_no_pipeline(tmp_path, out):
    (tmp_path / "other").mkdir()
    assert "holds no model_index.json" in refused_by_shell("--model", tmp_path / "other", "--out", out)
    assert not out.exists()


def test_a_hub_id_without_a_network(tmp_path, out):
    assert "cannot get owner/name from the model hub" in refused_by_shell("--model", "owner/name", "--out", out)
    assert not out.exists()


def test_an_output_that_cannot_be_written_is_refused_before_the_model_is_looked_for(tmp_path):
    (tmp_path / "file").write_text("mine")
    message = refused_by_shell("--model", tmp_path / "no-model", "--out", tmp_path / "file" / "out")
    assert "file is a file; name another folder with --out" in message
    assert (tmp_path / "file").read_text() == "mine"


def heed_interrupts():
    """A shell that runs the tests in the background has them ignore Ctrl-C, and their children with them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c(wan_folder, out):
    options = ("--model", wan_folder, "--steps", 2000, "--frames", 5, "--height", 64, "--width", 64, *STATIC)
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": ENVIRONMENT}
    with subprocess.Popen(command(*options, "--out", out), **pipes, preexec_fn=heed_interrupts) as running:
        assert running.stderr is not None
        seen = ""
        with killed_after(running, PATIENCE):
            while "computed 0" not in seen:  # the loop is under way
                letter = running.stderr.read(1)
                assert letter, seen
                seen += letter
        running.send_signal(signal.SIGINT)
        _, rest = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "interrupted" in rest
    assert "Traceback" not in rest
    assert not out.exists() or names_in(out) == []
