"""The modules of a package, parsed and not imported."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

FUNCTION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class SourceLocation(NamedTuple):
    """A file and line of the source, and a text about it."""

    path: Path
    line: int
    text: str


@dataclass(frozen=True)
class SourceModule:
    """A source file and its dotted name."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        """The text of the file."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """The source, parsed."""
        return ast.parse(self.text, str(self.path))

    @property
    def is_package(self) -> bool:
        """Whether names relative to it begin at itself."""
        return self.path.name == "__init__.py"


def list_modules(package: Path) -> list[SourceModule]:
    """All modules of the package in this folder; the package's own name is the folder's."""
    found = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found.append(SourceModule(".".join(parts[:-1] if parts[-1] == "__init__" else parts), path))
    return found


def iterate_functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, FunctionNode]]:
    """Every function with its dotted name inside the module; nested ones too."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, FUNCTION_NODES):
            yield prefix + child.name, child
        named = isinstance(child, (*FUNCTION_NODES, ast.ClassDef))
        yield from iterate_functions(child, f"{prefix}{child.name}." if named else prefix)
