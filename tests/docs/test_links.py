"""Links between pages lead somewhere in the repository; `make docs` looks at them on the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.pages import ROOT, name

LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
PROJECTS = (ROOT, ROOT / "pocket", ROOT / "opensora", ROOT / "serving")
TEXTS = [*(ROOT / "docs").rglob("*.md"), *(page for project in PROJECTS for page in project.glob("*.md"))]


def prose(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors that a code host gives to the headings of a page."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(prose(page)))
    return {words.replace(" ", "-") for words in plain}


def broken(page: Path) -> list[str]:
    wrong = []
    for link, anchor in LINK.findall(prose(page)):
        target = (page.parent / link) if link else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(f"{link}#{anchor}" if anchor else link)
    return wrong


@pytest.mark.parametrize("page", TEXTS, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_a_broken_one_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A b, c\n\n[ok](page.md#a-b-c) [ok](#a-b-c) [gone](no.md) [gone](#a-b) [web](https://no.where/x)\n"
    )
    assert broken(page) == ["no.md", "#a-b"]


@pytest.mark.parametrize("folder", ["research", "decisions"])
def test_the_index_of_notes_is_there(folder: str) -> None:
    assert (ROOT / "docs" / folder / "README.md").exists()
