"""Write the packages of src/navicache into CONTRIBUTING.md: `python -m tools.tree`.

Each package has one line: its name, and the first sentence of the docstring of its `__init__`. Packages are in the
order of the layers in pyproject.toml, highest first. With `--check` nothing is written, and the exit status is 1 if the
tree in the file is stale.
"""

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
START, END = "<!-- tree: written by `python -m tools.tree` -->", "<!-- end of the tree -->"


def draw_tree(root: Path = ROOT, package: str = "navicache") -> list[str]:
    """One Markdown bullet for each package; packages inside it are indented below."""
    source = root / "src" / package
    found = sorted(_packages(source), key=_order(read_layers(root / "pyproject.toml")))
    return [_bullet(source / path, path) for path in found]


def _packages(source: Path) -> Iterator[Path]:
    return (path.parent.relative_to(source) for path in source.rglob("*/__init__.py"))


def _order(layers: Sequence[str]):
    """Sort key: top packages by their layer, and those inside a package by name."""
    return lambda path: (layers.index(path.parts[0]) if path.parts[0] in layers else len(layers), path.parts)


def _bullet(folder: Path, path: Path) -> str:
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return f"{'    ' * (len(path.parts) - 1)}* `{path.name}`: {first_sentence(docstring)}"


def first_sentence(docstring: str) -> str:
    r"""Up to the first full stop, on one line.

    Example:
        >>> first_sentence("Numbers\nalone. Tensors are elsewhere.")
        'Numbers alone.'
    """
    words = " ".join(docstring.split("\n\n")[0].split())
    return re.split(r"(?<=\.) ", words)[0]


def read_layers(project: Path) -> list[str]:
    """The packages in the order of the first contract of import-linter, highest first."""
    contracts = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    return [name for layer in contracts[0]["layers"] for name in re.findall(r"\w+", layer)]


def replace_tree(text: str, lines: Sequence[str]) -> str:
    r"""The text with these lines between the two markers.

    Example:
        >>> replace_tree(f"a\n{START}\nold\n{END}\n", ["new"]).splitlines()[2]
        'new'
    """
    before, _, rest = text.partition(START)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"the file needs a line {START} and, below it, a line {END}")
    return "\n".join([f"{before}{START}", *lines, f"{END}{after}"])


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write the tree, or say whether it is stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the tree is stale")
    check = parser.parse_args(arguments).check
    path = root / "CONTRIBUTING.md"
    old = path.read_text(encoding="utf-8")
    new = replace_tree(old, draw_tree(root))
    if check and old != new:
        print("the tree in CONTRIBUTING.md is stale: run `python -m tools.tree`", file=sys.stderr)
        return 1
    if old != new:
        path.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
