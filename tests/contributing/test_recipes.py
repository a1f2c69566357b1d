"""Each recipe of CONTRIBUTING.md is carried out in a copy of the tree: the written steps and nothing more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.contributing.recipe import ROOT, read_recipes

RECIPES = read_recipes()
COPIED = ("src", "tests", "docs", "plans", "tools", "benchmarks")
LINKED = ("pocket", "opensora", "serving", "comfyui")
FILES = ("pyproject.toml", "Makefile", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "mkdocs.yml", "constraints.txt")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what a contributor edits; the other packages are only linked."""
    for name in COPIED:
        ignored = shutil.ignore_patterns("__pycache__", "*.jsonl", "*.html", "*.png", "*.jpg")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    for name in LINKED:
        (tmp_path / name).symlink_to(ROOT / name, target_is_directory=True)
    return tmp_path


def run(command: list[str], tree: Path) -> None:
    """Run a command of the page in the tree, with the environment of this test in place of `.venv`."""
    here = {"make": ["make", f"BIN={Path(sys.executable).parent}"], ".venv/bin/python": [sys.executable]}
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*here[command[0]], *command[1:]], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert not done.returncode, f"{' '.join(command)}\n{done.stdout[-4000:]}\n{done.stderr[-2000:]}"


def test_the_page_has_all_recipes() -> None:
    assert list(RECIPES) == ["policy", "model", "metric", "host"]


LONG = {"policy", "model", "metric"}  # their own tests take a quarter of a minute or more


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in RECIPES]
)
def test_a_recipe_is_complete(name: str, tree: Path) -> None:
    commands = RECIPES[name].carry_out(tree)
    assert commands, "a recipe ends with the tests that prove it"
    run([".venv/bin/python", "-m", "ruff", "check", "src", "tests"], tree)
    run([".venv/bin/python", "-m", "ruff", "format", "--check", "src", "tests"], tree)
    for command in commands:
        run(command, tree)
