"""What pages say about the code as a whole is so."""

from __future__ import annotations

import re

import pytest
from tests.docs.pages import FENCE, ROOT

from navicache.policies import POLICIES

MOST_WORDS = 800


def words(text: str) -> int:
    """Those that a reader reads: code and the bars of tables are none."""
    return len(FENCE.sub("", text).replace("|", " ").split())


def test_the_readme_is_short():
    assert words((ROOT / "README.md").read_text(encoding="utf-8")) < MOST_WORDS


@pytest.mark.parametrize("page", ["policies.md"])
def test_every_policy_is_named_before_the_second_section(page: str):
    start, _, _ = (ROOT / "docs" / page).read_text(encoding="utf-8").partition("\n## 2. ")
    assert set(POLICIES) <= set(re.findall(r"`(\w+)`", start))


def test_the_pipelines_that_were_tried_are_counted_right():
    table = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
    (tried,) = re.findall(r"^(\d+) pipelines\.", table, re.MULTILINE)
    for page in ("README.md", "docs/tutorial.md", "docs/how-to/own-model.md"):
        (told,) = re.findall(r"\[(\d+) (?:pipelines|were)", (ROOT / page).read_text(encoding="utf-8"))
        assert told == tried, page
