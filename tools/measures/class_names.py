"""Which class names are defined more than once."""

import ast
from collections import defaultdict

from tools.measures.sources import Found, Module


def repeated_classes(modules: list[Module]) -> list[Found]:
    """Every definition of a class whose name another class has too; a reader of one would think of the other."""
    places: dict[str, list[Found]] = defaultdict(list)
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(Found(module.path, node.lineno, node.name))
    return [place for found in places.values() if len(found) > 1 for place in found]
