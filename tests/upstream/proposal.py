"""The proposed changes to diffusers: where they are, and a copy of diffusers that has one of them."""

from __future__ import annotations

import importlib.util
import os
import re
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
    """The text with lines behind or before the one the entry names; one that is not there, or not once, is an error."""
    lines, line = text.splitlines(), entry.get("behind", entry.get("before"))
    places = [place for place, found in enumerate(lines) if found == line]
    if "nth" not in entry and len(places) != 1:
        raise LookupError(f"{entry['file']} has {len(places)} lines {line!r}: the entry wants one")
    at = places[entry.get("nth", 1) - 1] + ("behind" in entry)
    return "\n".join([*lines[:at], *entry["text"].splitlines(), *lines[at:], ""])


def pytest_on(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run their tests on the changed copy, apart from ours: their own process, settings and diffusers."""
    settings = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(root)]
    return python_on(root, "-m", "pytest", *settings, *arguments)


def python_on(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the changed copy in the place of diffusers, and with our own tree."""
    before = [str(root / "src"), str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(before), "HF_HUB_OFFLINE": "1"}
    return subprocess.run([sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True)


def passed(done: subprocess.CompletedProcess[str]) -> int:
    """How many tests have passed; where one has not, or was skipped, that is an error."""
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "skipped" not in done.stdout.splitlines()[-1]
    return int(re.findall(r"(\d+) passed", done.stdout)[-1])
