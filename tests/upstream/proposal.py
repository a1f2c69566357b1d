"""The proposed changes to diffusers: where they are, and a copy of diffusers that has one of them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import diffusers

FOLDER = Path(__file__).parents[2] / "docs" / "upstream"


@cache
def hook() -> ModuleType:
    """The hook file inside the installed diffusers: to be applied, it needs nothing else of the pull request."""
    path = FOLDER / "rule" / "src" / "diffusers" / "hooks" / "navi_cache.py"
    spec = importlib.util.spec_from_file_location("diffusers.hooks.navi_cache", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def changed(root: Path, change: str, checkout: Path | None = None) -> Path:
    """A folder laid out as their repository, with a change applied: the installed package, and a checkout's tests."""
    shutil.copytree(
        Path(diffusers.__file__).parent, root / "src" / "diffusers"
    )  # with times, so nothing compiles again
    if checkout is not None:
        shutil.copytree(checkout / "tests", root / "tests")
        shutil.copytree(checkout / "docs" / "source" / "en", root / "docs" / "source" / "en")
    apply(FOLDER / change, root)
    return root


def apply(change: Path, root: Path) -> None:
    """Do what `entries.toml` says; what is to be changed and is not there, such as their tests, is left out."""
    entries = tomllib.loads((change / "entries.toml").read_text(encoding="utf-8"))
    for name in entries["new"]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(change / name, root / name)
    for name in entries.get("append", ()):
        if (root / name).exists():
            rewrite(root / name, lambda text, name=name: f"{text.rstrip()}\n\n\n{(change / name).read_text('utf-8')}")
    for entry in entries["insert"]:
        if (root / entry["file"]).exists():
            rewrite(root / entry["file"], lambda text, entry=entry: inserted(text, entry))


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def inserted(text: str, entry: dict[str, Any]) -> str:
    """The text with lines behind the one the entry names; a line that is not there, or not once, is an error."""
    lines = text.splitlines()
    places = [place for place, line in enumerate(lines) if line == entry["behind"]]
    if "nth" not in entry and len(places) != 1:
        raise LookupError(f"{entry['file']} has {len(places)} lines {entry['behind']!r}: the entry wants one")
    place = places[entry.get("nth", 1) - 1]
    return "\n".join([*lines[: place + 1], *entry["text"].splitlines(), *lines[place + 1 :], ""])


def pytest_on(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run their tests on the changed copy, apart from ours: their own process, settings and diffusers."""
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}", "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(root)]
    return subprocess.run([*command, *arguments], cwd=root, env=environment, capture_output=True, text=True)
