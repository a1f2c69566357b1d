"""The tree of packages in CONTRIBUTING.md is the one of the source."""

import doctest

import pytest
from tools import tree


def test_the_tree_is_up_to_date(capsys):
    assert tree.main(["--check"]) == 0, capsys.readouterr().err


def test_examples_hold():
    done = doctest.testmod(tree)
    assert done.attempted and not done.failed


def test_every_package_says_what_it_is():
    for line in tree.draw_tree():
        name, _, sentence = line.partition(": ")
        assert sentence.strip(), f"{name} has no docstring in its __init__"


def test_a_stale_tree_is_told_and_renewed(tmp_path, capsys):
    package = tmp_path / "src" / "navicache" / "engine" / "run"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('"""Runs\nof a model. More."""\n')
    (package.parent / "__init__.py").write_text('"""The engine."""\n')
    (tmp_path / "pyproject.toml").write_text('[[tool.importlinter.contracts]]\nlayers = ["cli", "(engine) | models"]\n')
    (tmp_path / "CONTRIBUTING.md").write_text(f"# A\n\n{tree.START}\n{tree.END}\n")
    assert tree.main(["--check"], tmp_path) == 1 and "python -m tools.tree" in capsys.readouterr().err
    assert tree.main([], tmp_path) == 0 and tree.main(["--check"], tmp_path) == 0
    lines = (tmp_path / "CONTRIBUTING.md").read_text().splitlines()
    assert lines[3:5] == ["* `engine`: The engine.", "    * `run`: Runs of a model."]


def test_a_file_without_markers_is_refused():
    with pytest.raises(ValueError, match="needs a line"):
        tree.replace_tree("nothing", [])
