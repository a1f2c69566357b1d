"""The table: what breaks a limit, which places are shown, and the exit status."""

from pathlib import Path

import pytest
from tests.tools.made_up import project
from tools.structure import main, measure_structure


def function(lines: int, name: str = "f", indent: str = "") -> str:
    return f"{indent}def {name}():\n" + f"{indent}    x = 1\n" * (lines - 1)


def broken(root: Path) -> list[str]:
    return [each.name for each in measure_structure(root, allowed=()) if each.is_broken]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (function(15), []),
        (function(16), ["own lines, 90th percentile"]),
        (function(2) * 20 + function(40), []),
        (function(2) * 20 + function(41), ["functions over 40"]),
        (function(2) * 20 + "class OpenSoraPipeline:\n" + function(41, "__call__", "    "), []),
        ("x = 1\n" * 200, ["files of src"]),
        ("from navicache.low import b", ["import cycles"]),
        ("from navicache.high import a", ["imports up or sideways"]),
        ("def f(x):\n    x.a = 1", ["foreign stores"]),
        ("class A:\n    class A:\n        pass", ["class names used twice"]),
        ("x = 1\n" * 25_501, ["lines of src", "files of src"]),
    ],
)
def test_each_limit_is_broken_by_what_exceeds_it_and_by_nothing_else(tmp_path, text, names):
    assert broken(project(tmp_path, low__a=text, low__b="from navicache.low import a", high__a="x = 1")) == names


def test_long_tests_are_counted_apart(tmp_path):
    root = project(tmp_path)
    (root / "tests" / "test_long.py").write_text("x = 1\n" * 200)
    assert broken(root) == ["files of tests"]


def test_every_place_is_shown_with_its_line_and_a_package_shows_its_own(tmp_path, capsys):
    root = project(tmp_path, low__a="def f(x):\n    x.a = 1", high__a="def f(x):\n    x.b = 1")
    assert main([], root) == 1
    assert "src/navicache/low/a.py:2  x.a" in capsys.readouterr().out
    assert main(["--package", "high"], root) == 1
    shown = capsys.readouterr().out
    assert "src/navicache/high/a.py:2  x.b" in shown and "x.a" not in shown


def test_functions_over_25_lines_are_shown_though_they_break_nothing(tmp_path, capsys):
    main([], project(tmp_path, low__a=function(2) * 20 + function(26, "long")))
    assert "src/navicache/low/a.py:41  long 26" in capsys.readouterr().out


def test_the_project_keeps_its_limits():
    assert [(each.name, each.violations) for each in measure_structure() if each.is_broken] == []
