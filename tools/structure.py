"""Measure the structure of the source: `python -m tools.structure`, or `make structure`.

One line for each measure with its limit, then every place that breaks one. The exit status is 1 where there is any.
The source is read, not imported, so no environment is needed.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tools.measures.allowed import ALLOWED, Allowed, sift
from tools.measures.class_names import repeated_classes
from tools.measures.imports import cycles, edges, not_down, read_layers
from tools.measures.lengths import Length, lengths, long_files, percentile
from tools.measures.sources import Found, Module, modules_of
from tools.measures.stores import foreign_stores

ROOT = Path(__file__).parents[1]
TYPICAL = 15  # own lines that nine functions of ten do not exceed
LONG = 25  # shown, not refused
LONGEST = 40
EXEMPT = {"OpenSoraPipeline.__call__"}  # its arguments are the published pipeline's, and each takes a line
FILE = 200
LINES = 20_000  # of the library: what is not the cache belongs beside it
OTHERS = (Path("opensora", "src", "navicache_opensora"),)  # packages with the same limits, but without layers


class Measure(NamedTuple):
    """What was counted, how it stands to its limit, and where."""

    name: str
    value: str
    limit: str
    broken: bool
    places: list[Found]


def measure(root: Path = ROOT, package: str = "navicache", allowed: tuple[Allowed, ...] = ALLOWED) -> list[Measure]:
    """All measures of the package in `root`/src, of the other packages and of the tests beside it."""
    source = root / "src" / package
    folders = [source, *(root / other for other in OTHERS)]
    modules, others = modules_of(source), [module for folder in folders[1:] for module in modules_of(folder)]
    graph = edges(modules)
    stores, idle = sift((store for module in modules for store in foreign_stores(module)), source, allowed)
    return [
        *_functions([*modules, *others]),
        _total_lines(modules),
        _none("files of src", f"under {FILE} lines", [file for folder in folders for file in long_files(folder, FILE)]),
        _none("files of tests", f"under {FILE} lines", long_files(root / "tests", FILE)),
        _none("import cycles", "0", _cycles([*modules, *others], cycles({**graph, **edges(others)}))),
        _none("imports up or sideways", "0", not_down(modules, graph, read_layers(root / "pyproject.toml"))),
        _none("class names used twice", "0", repeated_classes(modules)),
        _none("foreign stores", "0", [*stores, *(store for module in others for store in foreign_stores(module))]),
        _none("allowances without a store", "0", [Found(source / each.package, 1, each.store) for each in idle]),
    ]


def _functions(modules: list[Module]) -> list[Measure]:
    found = sorted((length for module in modules for length in lengths(module)), reverse=True)
    typical = percentile(found, 90)
    refused = [each for each in found if each.lines > LONGEST and each.name not in EXEMPT]
    return [
        Measure("functions", str(len(found)), "", False, []),
        Measure("own lines, 90th percentile", f"{typical:.0f}", f"<= {TYPICAL}", typical > TYPICAL, []),
        _none(f"functions over {LONG}", "", _places(each for each in found if each.lines > LONG))._replace(
            broken=False
        ),
        _none(f"functions over {LONGEST}", f"0 but {', '.join(sorted(EXEMPT))}", _places(refused)),
    ]


def _total_lines(modules: list[Module]) -> Measure:
    total = sum(len(module.text.splitlines()) for module in modules)
    return Measure("lines of src", str(total), f"<= {LINES}", total > LINES, [])


def _places(found: Iterable[Length]) -> list[Found]:
    return [Found(each.path, each.line, f"{each.name} {each.lines}") for each in found]


def _none(name: str, limit: str, places: list[Found]) -> Measure:
    return Measure(name, str(len(places)), limit, bool(places), places)


def _cycles(modules: list[Module], groups: list[list[str]]) -> list[Found]:
    paths = {module.name: module.path for module in modules}
    return [Found(paths[group[0]], 1, " <-> ".join(group)) for group in groups]


def show(measures: list[Measure], root: Path, package: str | None) -> None:
    """The table, then the places: all of them, or those of one package (its tests too)."""
    for each in measures:
        print(f"{each.name:28} {each.value:>5}  {each.limit:36} {'BROKEN' if each.broken else ''}".rstrip())
    for each in measures:
        shown = [(place.path.relative_to(root), place) for place in each.places]
        shown = [(path, place) for path, place in shown if package is None or package in path.parts]
        if shown:
            print(f"\n{each.name}:")
        for path, place in shown:
            print(f"  {path}:{place.line}  {place.text}")


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Print the measures and give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", help="show the places of this package only; the table stays that of all")
    measures = measure(root)
    show(measures, root, parser.parse_args(arguments).package)
    return int(any(each.broken for each in measures))


if __name__ == "__main__":
    sys.exit(main())
