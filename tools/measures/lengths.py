"""Measure the lengths of functions and files."""

import ast
import io
import tokenize
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from tools.measures.source_modules import FUNCTION_NODES, FunctionNode, SourceLocation, SourceModule, iterate_functions

NON_CODE_TOKENS = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


class FunctionLength(NamedTuple):
    """A function and its own lines."""

    lines: int
    name: str
    path: Path
    line: int


def measure_function_lengths(module: SourceModule) -> list[FunctionLength]:
    """The own lines of every function of the module."""
    code = _find_code_lines(module.text)
    return [
        FunctionLength(len(_find_own_lines(function) & code), name, module.path, function.lineno)
        for name, function in iterate_functions(module.tree)
    ]


def compute_percentile(function_lengths: list[FunctionLength], percent: int) -> float:
    """The length that this many percent of the functions do not exceed."""
    counts = [length.lines for length in function_lengths]
    return quantiles(counts, n=100, method="inclusive")[percent - 1] if len(counts) > 1 else float(sum(counts))


def find_long_files(folder: Path, limit: int) -> list[SourceLocation]:
    """The Python files of a folder with this many lines or more."""
    counted = ((path, len(path.read_text(encoding="utf-8").splitlines())) for path in sorted(folder.rglob("*.py")))
    return [SourceLocation(path, 1, f"{lines} lines") for path, lines in counted if lines >= limit]


def _find_code_lines(text: str) -> set[int]:
    """Lines with something other than space or a comment."""
    written = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NON_CODE_TOKENS:
            written.update(range(token.start[0], token.end[0] + 1))
    return {number for number, line in enumerate(text.splitlines(), 1) if number in written and line.strip()}


def _find_own_lines(function: FunctionNode) -> set[int]:
    """Its lines from `def` on, less its docstring's and those of the functions inside it."""
    own = set(range(function.lineno, (function.end_lineno or function.lineno) + 1))
    if ast.get_docstring(function, clean=False) is not None:
        own -= _find_line_span(function.body[0])
    for inner in ast.walk(function):
        if isinstance(inner, FUNCTION_NODES) and inner is not function:
            own -= _find_line_span(inner)
    return own


def _find_line_span(node: ast.stmt) -> set[int]:
    """All its lines, decorators included."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return set(range(first, (node.end_lineno or node.lineno) + 1))
