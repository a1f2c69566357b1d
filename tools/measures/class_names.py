"""Find class names that are defined more than once."""

import ast
from collections import defaultdict

from tools.measures.source_modules import SourceLocation, SourceModule


def repeated_classes(modules: list[SourceModule]) -> list[SourceLocation]:
    """List every definition of a class whose name another class has too, which confuses readers."""
    places: dict[str, list[SourceLocation]] = defaultdict(list)
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(SourceLocation(module.path, node.lineno, node.name))
    return [place for found in places.values() if len(found) > 1 for place in found]
