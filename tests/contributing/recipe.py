"""The recipes of CONTRIBUTING.md as steps that can be carried out: files to write, edits to make, commands to run."""

from __future__ import annotations

import re
import shlex
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Recipe:
    """One section of the page; its blocks by language, in order."""

    title: str
    blocks: tuple[tuple[str, str], ...]

    def carry_out(self, tree: Path) -> list[list[str]]:
        """Write the files and make the edits; returns the commands that remain to be run."""
        commands: list[list[str]] = []
        for language, text in self.blocks:
            if language == "python":
                write_file(tree, text)
            elif language == "diff":
                edit_file(tree, text)
            elif language == "sh":
                commands += [shlex.split(line) for line in text.splitlines()]
        return commands


def read_recipes() -> dict[str, Recipe]:
    """Every section that begins with "Add a"."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    recipes = {}
    for section in sections:
        title, _, body = section.partition("\n")
        if title.startswith("Add a"):
            blocks = tuple((found[2], textwrap.dedent(found[3])) for found in BLOCK.finditer(body))
            recipes[title.removeprefix("Add a ")] = Recipe(title, blocks)
    return recipes


def write_file(tree: Path, text: str) -> None:
    """A block whose first line is a comment with the path."""
    first, _, rest = text.partition("\n")
    path = tree / first.removeprefix("# ")
    assert not path.exists(), f"{path} is there already: a recipe writes a new file"
    path.write_text(rest, encoding="utf-8")


def edit_file(tree: Path, text: str) -> None:
    """A block in the form of a diff, its parts divided by `...`; each part must fit at exactly one place."""
    first, _, rest = text.partition("\n+++")
    path = tree / first.removeprefix("--- ").strip()
    source = path.read_text(encoding="utf-8")
    for part in rest.partition("\n")[2].split("...\n"):
        lines = part.splitlines()
        old = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "+")
        new = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "-")
        assert source.count(old) == 1, f"{path} has this {source.count(old)} times:\n{old}"
        source = source.replace(old, new)
    path.write_text(source, encoding="utf-8")
