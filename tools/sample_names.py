"""Draw functions at random and show only their names and signatures: `python -m tools.sample_names --count 40`.

A reader who has never seen this project says what each function does. `--answers` also prints the first line of each
docstring, to compare. The same seed draws the same functions from the same source.
"""

import argparse
import ast
import random
from collections.abc import Sequence
from pathlib import Path

from tools.measures.source_modules import FunctionNode, iterate_functions, list_modules

SOURCE = Path(__file__).parents[1] / "src" / "navicache"


def format_signature(name: str, function: FunctionNode) -> str:
    """Format a function with its class, its parameters and its return type.

    >>> tree = ast.parse("def area(width: float, height: float = 1.0) -> float: ...")
    >>> format_signature("Square.area", tree.body[0])
    'Square.area(width: float, height: float=1.0) -> float'
    """
    returns = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    return f"{name}({ast.unparse(function.args)}){returns}"


def draw_functions(source: Path, count: int, seed: int) -> list[tuple[str, str]]:
    """Draw functions and the first lines of their docstrings, without special methods such as `__init__`."""
    found = [
        (format_signature(name, function), (ast.get_docstring(function) or "(none)").splitlines()[0], module.name)
        for module in list_modules(source)
        for name, function in iterate_functions(module.tree)
        if not function.name.startswith("__")
    ]
    drawn = random.Random(seed).sample(sorted(found), min(count, len(found)))
    return [(shown, f"{line} [{module}]") for shown, line, module in drawn]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=38)
    parser.add_argument("--source", type=Path, default=SOURCE, help="the folder of the package")
    parser.add_argument("--answers", action="store_true", help="with the first line of each docstring")
    options = parser.parse_args(arguments)
    for number, (shown, line) in enumerate(draw_functions(options.source, options.count, options.seed), 1):
        print(f"{number}. {shown}" + (f"\n   {line}" if options.answers else ""))


if __name__ == "__main__":
    main()
