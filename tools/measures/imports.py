"""Find import cycles and imports that do not point down. Imports inside functions count too."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.measures.source_modules import SourceLocation, SourceModule

ImportGraph = dict[str, dict[str, int]]  # importing module -> imported module -> line
LayerRanks = dict[
    str, tuple[int, int]
]  # part of the package -> its layer (0 is the highest) and its place among siblings
TOP_RANK = (-1, 0)  # the root package's `__init__`, `__main__`, and whatever no layer names


def build_import_graph(modules: list[SourceModule]) -> ImportGraph:
    """Each module's imports of other modules of the same package."""
    names = {module.name for module in modules}
    found: ImportGraph = {}
    for module in modules:
        found[module.name] = {}
        for target, line in _iterate_imports(module, names):
            if target != module.name:
                found[module.name].setdefault(target, line)
    return found


def find_import_cycles(graph: ImportGraph) -> list[list[str]]:
    """Find groups of modules that all import each other, directly or not, sorted by name."""
    reached = {name: _find_reachable_modules(graph, name) for name in graph}
    groups = {tuple(sorted(other for other in reached[name] if name in reached[other])) for name in graph}
    return [list(group) for group in sorted(groups) if len(group) > 1]


def read_layers(pyproject: Path) -> LayerRanks:
    """The layers of the first `layers` contract of import-linter in this file."""
    contracts = tomllib.loads(pyproject.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return {
        name.strip(" ()"): (rank, place)
        for rank, layer in enumerate(layers)
        for place, name in enumerate(layer.split("|"))
    }


def find_layer_violations(modules: list[SourceModule], graph: ImportGraph, ranks: LayerRanks) -> list[SourceLocation]:
    """Imports of a higher layer, or of a sibling in the same one."""
    paths = {module.name: module.path for module in modules}
    found = []
    for source, targets in graph.items():
        for target, line in targets.items():
            ours, theirs = _get_layer_rank(source, ranks), _get_layer_rank(target, ranks)
            if theirs[0] < ours[0] or (theirs[0] == ours[0] and theirs != ours):
                way = "up" if theirs[0] < ours[0] else "sideways"
                found.append(SourceLocation(paths[source], line, f"{source} imports {target}: {way}"))
    return found


def _iterate_imports(module: SourceModule, names: set[str]) -> Iterator[tuple[str, int]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom):
            origin = _resolve_import_origin(module, node)
            for alias in node.names:
                whole = f"{origin}.{alias.name}"
                if whole in names or origin in names:
                    yield whole if whole in names else origin, node.lineno


def _resolve_import_origin(module: SourceModule, node: ast.ImportFrom) -> str:
    """The module after `from`, as an absolute name."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    parts = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _find_reachable_modules(graph: ImportGraph, start: str) -> set[str]:
    """The modules that importing this one imports, itself included."""
    reached, waiting = {start}, [start]
    while waiting:
        new = graph.get(waiting.pop(), {}).keys() - reached
        reached |= new
        waiting += new
    return reached


def _get_layer_rank(name: str, ranks: LayerRanks) -> tuple[int, int]:
    return ranks.get(name.split(".")[1], TOP_RANK) if "." in name else TOP_RANK
