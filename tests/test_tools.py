"""The tools of the repository that have examples: they hold."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest
from tools import constraints, tables
from tools.site import links


@pytest.mark.parametrize("tool", [constraints, links], ids=lambda tool: tool.__name__)
def test_examples_hold(tool: ModuleType) -> None:
    done = doctest.testmod(tool)
    assert done.attempted
    assert not done.failed


def test_the_pins_are_those_of_a_freeze() -> None:
    """The file is as `make constraints` writes it: sorted, each package once, nothing of ours."""
    lines = [
        line
        for line in constraints.CONSTRAINTS_FILE.read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    assert lines == list(constraints.parse_pins(lines).values())


@pytest.mark.parametrize("page", tables.PAGES)
def test_the_generated_tables_are_those_of_the_code(page: str) -> None:
    text = (tables.ROOT / page).read_text(encoding="utf-8")
    assert tables.PART.search(text) or tables.COUNTED.search(text), f"{page} has nothing that is generated"
    assert tables.fill_tables(text) == text, "run `make tables`"
