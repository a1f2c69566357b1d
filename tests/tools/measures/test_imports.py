import pytest
from tests.tools.made_up import project
from tools.measures.imports import find_import_cycles, build_import_graph, find_layer_violations, read_layers
from tools.measures.source_modules import list_modules


def test_a_cycle_is_found_though_its_import_stands_in_a_function_or_is_relative(tmp_path):
    root = project(
        tmp_path,
        low____init__="",
        low__a="def f():\n    from navicache.low import b",
        low__b="from .c import x",
        low__c="import navicache.low.a",
        low__d="from navicache.low.a import f",
    )
    graph = build_import_graph(list_modules(root / "src" / "navicache"))
    assert find_import_cycles(graph) == [["navicache.low.a", "navicache.low.b", "navicache.low.c"]]


@pytest.mark.parametrize(
    ("source", "target", "way"),
    [
        ("low__a", "high.a", "up"),
        ("left__a", "right.a", "sideways"),
        ("high__a", "", "up"),
        ("left__a", "unnamed.a", "up"),
        ("high__a", "low.a", None),
        ("left__a", "left.b", None),
        ("__main__", "high.a", None),
    ],
)
def test_imports_point_down(tmp_path, source, target, way):
    files = {f"{part}__{name}": "x = 1" for part in ("high", "left", "right", "low", "unnamed") for name in "ab"}
    origin = ".".join(filter(None, ("navicache", target)))
    root = project(tmp_path, **(files | {source: f"def f():\n    from {origin} import x"}))
    modules = list_modules(root / "src" / "navicache")
    found = find_layer_violations(modules, build_import_graph(modules), read_layers(root / "pyproject.toml"))
    assert [each.text.rsplit(": ", 1)[1] for each in found] == ([] if way is None else [way])
