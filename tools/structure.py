"""Measure the structure of the source: `python -m tools.structure`, or `make structure`.

One line for each measure with its limit, then every place that breaks one. The exit status is 1 if there is any.
The source is read, not imported, so no environment is needed.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tools.measures.allowed_stores import ALLOWED_STORES, AllowedStore, filter_allowed_stores
from tools.measures.class_names import repeated_classes
from tools.measures.foreign_stores import find_foreign_stores
from tools.measures.imports import build_import_graph, find_import_cycles, find_layer_violations, read_layers
from tools.measures.lengths import FunctionLength, compute_percentile, find_long_files, measure_function_lengths
from tools.measures.source_modules import SourceLocation, SourceModule, list_modules

ROOT = Path(__file__).parents[1]
MAX_TYPICAL_LINES = 15  # own lines that nine functions of ten do not exceed
REPORTED_FUNCTION_LINES = 25  # shown, not refused
MAX_FUNCTION_LINES = 40
EXEMPT_FUNCTIONS = {"OpenSoraPipeline.__call__"}  # its arguments are the published pipeline's, and each takes a line
MAX_FILE_LINES = 200
LINES = 25_500  # of the library, which is the cache alone: what is not belongs beside it
# Packages with the same limits, but without layers:
OTHERS = (
    Path("opensora", "src", "navicache_opensora"),
    Path("serving", "src", "navicache_serving"),
    Path("comfyui", "navicache_comfyui"),
    Path("wangp"),
)


class StructureCheck(NamedTuple):
    """A measured value, its limit, and the places that break it."""

    name: str
    value: str
    limit: str
    is_broken: bool
    violations: list[SourceLocation]


def measure_structure(
    root: Path = ROOT, package: str = "navicache", allowed: tuple[AllowedStore, ...] = ALLOWED_STORES
) -> list[StructureCheck]:
    """Measure the package in `root`/src, the other packages and the tests."""
    source = root / "src" / package
    folders = [source, *(root / other for other in OTHERS)]
    modules, others = list_modules(source), [module for folder in folders[1:] for module in list_modules(folder)]
    graph = build_import_graph(modules)
    stores, idle = filter_allowed_stores(
        (store for module in [*modules, *others] for store in find_foreign_stores(module)), source, allowed
    )
    return [
        *_check_function_lengths([*modules, *others]),
        _total_lines(modules),
        _expect_none(
            "files of src",
            f"under {MAX_FILE_LINES} lines",
            [file for folder in folders for file in find_long_files(folder, MAX_FILE_LINES)],
        ),
        _expect_none(
            "files of tests", f"under {MAX_FILE_LINES} lines", find_long_files(root / "tests", MAX_FILE_LINES)
        ),
        _expect_none(
            "import cycles",
            "0",
            _locate_cycles([*modules, *others], find_import_cycles({**graph, **build_import_graph(others)})),
        ),
        _expect_none(
            "imports up or sideways", "0", find_layer_violations(modules, graph, read_layers(root / "pyproject.toml"))
        ),
        _expect_none("class names used twice", "0", repeated_classes(modules)),
        _expect_none("foreign stores", "0", stores),
        _expect_none(
            "allowances without a store", "0", [SourceLocation(source / each.package, 1, each.store) for each in idle]
        ),
    ]


def _check_function_lengths(modules: list[SourceModule]) -> list[StructureCheck]:
    found = sorted((length for module in modules for length in measure_function_lengths(module)), reverse=True)
    typical = compute_percentile(found, 90)
    refused = [each for each in found if each.lines > MAX_FUNCTION_LINES and each.name not in EXEMPT_FUNCTIONS]
    return [
        StructureCheck("functions", str(len(found)), "", False, []),
        StructureCheck(
            "own lines, 90th percentile", f"{typical:.0f}", f"<= {MAX_TYPICAL_LINES}", typical > MAX_TYPICAL_LINES, []
        ),
        _expect_none(
            f"functions over {REPORTED_FUNCTION_LINES}",
            "",
            _locate_functions(each for each in found if each.lines > REPORTED_FUNCTION_LINES),
        )._replace(is_broken=False),
        _expect_none(
            f"functions over {MAX_FUNCTION_LINES}",
            f"0 but {', '.join(sorted(EXEMPT_FUNCTIONS))}",
            _locate_functions(refused),
        ),
    ]


def _total_lines(modules: list[SourceModule]) -> StructureCheck:
    total = sum(len(module.text.splitlines()) for module in modules)
    return StructureCheck("lines of src", str(total), f"<= {LINES}", total > LINES, [])


def _locate_functions(function_lengths: Iterable[FunctionLength]) -> list[SourceLocation]:
    return [SourceLocation(each.path, each.line, f"{each.name} {each.lines}") for each in function_lengths]


def _expect_none(name: str, limit: str, violations: list[SourceLocation]) -> StructureCheck:
    return StructureCheck(name, str(len(violations)), limit, bool(violations), violations)


def _locate_cycles(modules: list[SourceModule], groups: list[list[str]]) -> list[SourceLocation]:
    paths = {module.name: module.path for module in modules}
    return [SourceLocation(paths[group[0]], 1, " <-> ".join(group)) for group in groups]


def print_checks(checks: list[StructureCheck], root: Path, package: str | None) -> None:
    """Print the table, then the places: all of them, or those of one package and its tests."""
    for each in checks:
        print(f"{each.name:28} {each.value:>5}  {each.limit:36} {'BROKEN' if each.is_broken else ''}".rstrip())
    for each in checks:
        shown = [(place.path.relative_to(root), place) for place in each.violations]
        shown = [(path, place) for path, place in shown if package is None or package in path.parts]
        if shown:
            print(f"\n{each.name}:")
        for path, place in shown:
            print(f"  {path}:{place.line}  {place.text}")


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Print the measures and give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", help="show the places of this package only; the table stays that of all")
    checks = measure_structure(root)
    print_checks(checks, root, parser.parse_args(arguments).package)
    return int(any(each.is_broken for each in checks))


if __name__ == "__main__":
    sys.exit(main())
