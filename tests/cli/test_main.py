"""The command line itself: its version, its help, and how it ends."""

import re

import pytest
import torch

from navicache import __version__
from navicache.cli import main, models
from navicache.cli.main import COMMANDS, INTERRUPTED


def test_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert __version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (ValueError("too few"), 2, "navicache models: too few\n"),
        (FileNotFoundError("gone"), 2, "navicache models: gone\n"),
        (
            ModuleNotFoundError("No module named 'av'"),
            2,
            '; run `pip install ".[diffusers,eval]"` in a clone of navicache',
        ),
        (torch.OutOfMemoryError("no room\nand a long story"), 2, "navicache models: no room\ntry --offload model"),
        (KeyboardInterrupt(), INTERRUPTED, "interrupted; nothing half-written is left"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_ends_in_words_and_a_status(error, status, said, monkeypatch, capsys):
    def fail(options):
        raise error

    monkeypatch.setattr(models, "run", fail)
    with pytest.raises(SystemExit) as end:
        main(["models"])
    assert end.value.code == status
    assert said in capsys.readouterr().err


def test_an_error_of_ours_is_not_hidden(monkeypatch):
    def fail(options):
        raise AssertionError("a mistake in the program")

    monkeypatch.setattr(models, "run", fail)
    with pytest.raises(AssertionError):
        main(["models"])


def test_every_command_is_in_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out
    assert all(re.search(rf"^    {name}\b", told, re.MULTILINE) for name in COMMANDS)
