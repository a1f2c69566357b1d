"""The command line itself: its version, its help, and how it ends."""

import re
import subprocess
import sys

import numpy as np
import pytest
import torch

from navicache import __version__
from navicache.cli import main, models
from navicache.cli.main import COMMANDS, INTERRUPTED, import_command
from navicache.generation.memory_errors import is_out_of_memory

NO_MEMORY = "navicache models: not enough memory: {}"


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
        (torch.OutOfMemoryError("CUDA out of memory. No room\nand a long story"), 2, NO_MEMORY.format("CUDA out of")),
        (RuntimeError("err == 0. DefaultCPUAllocator: can't allocate memory"), 2, NO_MEMORY.format("err == 0")),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED"), 2, NO_MEMORY.format("CUDA error")),
        (MemoryError(), 2, "navicache models: not enough memory\ntry --offload model"),
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


@pytest.mark.parametrize("error", [AssertionError("a mistake in the program"), RuntimeError("shapes differ")], ids=str)
def test_an_error_of_ours_is_not_hidden(error, monkeypatch):
    def fail(options):
        raise error

    monkeypatch.setattr(models, "run", fail)
    with pytest.raises(type(error)):
        main(["models"])


@pytest.mark.parametrize("take", [torch.empty, np.empty], ids=["torch", "numpy"])
def test_a_machine_without_memory_is_told_from_other_errors(take):
    with pytest.raises((RuntimeError, MemoryError)) as caught:
        take(2**46)
    assert is_out_of_memory(caught.value)


HEAVY = "{'torch', 'diffusers', 'numpy', 'matplotlib'} & {*sys.modules}"


@pytest.mark.parametrize(
    "program",
    [
        f"import navicache; navicache.CallSpec, navicache.policies; sys.exit(bool({HEAVY}))",
        f"atexit.register(lambda: {HEAVY} and os._exit(1)); from navicache.cli import main; main(['--help'])",
        f"from navicache.cli import main; main(['models', 'mochi']); sys.exit(bool({HEAVY}))",
    ],
    ids=["import", "help", "models"],
)
def test_import_and_help_do_without_torch(program):
    program = f"import atexit, os, sys; {program}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "asked", "said"),
    [
        (["generate", "--help"], 0, ["generate"], "--negative-prompt"),
        (["--help", "generate"], 0, ["generate"], "SUBCOMMAND"),
        (["--help"], 0, [], "SUBCOMMAND"),
        (["nonsense"], 2, [], "invalid choice: 'nonsense'"),
    ],
    ids=["of it", "beside the help", "of none", "unknown"],
)
def test_a_command_has_its_options_only_where_it_is_called(arguments, status, asked, said, monkeypatch, capsys):
    imported = []

    def import_noted(name):
        imported.append(name)
        return import_command(name)

    monkeypatch.setattr(sys.modules["navicache.cli.main"], "import_command", import_noted)
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == status and said in "".join(capsys.readouterr())
    assert imported == asked


def test_every_command_is_in_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out
    assert all(re.search(rf"^    {name}\b", told, re.MULTILINE) for name in COMMANDS)
