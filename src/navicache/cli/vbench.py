"""`navicache vbench`, deprecated: runs `python -m benchmarks.vbench`, its new place, from a clone."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

MODULE = "benchmarks.vbench"
FOLDER = Path("benchmarks/vbench")


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """All arguments, options too, are the module's own."""
    parser.prefix_chars = "\0"
    parser.add_argument("arguments", nargs="*", metavar="...", help=f"as `python -m {MODULE}` takes them")


def run(options: argparse.Namespace) -> int:
    """Hand over."""
    return run_module("navicache vbench", options.arguments)


def run_module(old: str, arguments: Sequence[str]) -> int:
    """Say where VBench is run now, and run it if the current folder is a clone."""
    if not FOLDER.is_dir():
        raise ValueError(f"{old} has moved: run `python -m {MODULE}` in a clone of the repository")
    print(f"{old} is deprecated: use `python -m {MODULE} {' '.join(arguments)}`", file=sys.stderr)
    return subprocess.call([sys.executable, "-m", MODULE, *arguments])
