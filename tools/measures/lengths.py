"""How long functions and files are."""

import ast
import io
import tokenize
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from tools.measures.sources import FUNCTIONS, Found, Function, Module, functions_of

SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class Length(NamedTuple):
    """A function and its own lines."""

    lines: int
    name: str
    path: Path
    line: int


def lengths(module: Module) -> list[Length]:
    """The own lines of every function of the module."""
    code = _lines_of_code(module.text)
    return [
        Length(len(_own(function) & code), name, module.path, function.lineno)
        for name, function in functions_of(module.tree)
    ]


def percentile(found: list[Length], percent: int) -> float:
    """The length that this many percent of the functions do not exceed."""
    counts = [length.lines for length in found]
    return quantiles(counts, n=100, method="inclusive")[percent - 1] if len(counts) > 1 else float(sum(counts))


def long_files(folder: Path, limit: int) -> list[Found]:
    """The Python files of a folder with this many lines or more."""
    counted = ((path, len(path.read_text(encoding="utf-8").splitlines())) for path in sorted(folder.rglob("*.py")))
    return [Found(path, 1, f"{lines} lines") for path, lines in counted if lines >= limit]


def _lines_of_code(text: str) -> set[int]:
    """Lines with something other than space or a comment."""
    written = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            written.update(range(token.start[0], token.end[0] + 1))
    return {number for number, line in enumerate(text.splitlines(), 1) if number in written and line.strip()}


def _own(function: Function) -> set[int]:
    """Its lines from `def` on, less its docstring's and those of the functions inside it."""
    own = set(range(function.lineno, (function.end_lineno or function.lineno) + 1))
    if ast.get_docstring(function, clean=False) is not None:
        own -= _span(function.body[0])
    for inner in ast.walk(function):
        if isinstance(inner, FUNCTIONS) and inner is not function:
            own -= _span(inner)
    return own


def _span(node: ast.stmt) -> set[int]:
    """All its lines, decorators included."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return set(range(first, (node.end_lineno or node.lineno) + 1))
