"""The pages, and the blocks of code on them: what a reader would copy, and what the page says it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTS = "It prints"
SLOW = re.compile(r"<!-- slow: [^>]+ -->")


@dataclass(frozen=True)
class Block:
    """One block of a page."""

    language: str
    code: str
    line: int  # of the page, at which its first line of code stands
    slow: bool  # the page says so, and why, in a comment before it
    prints: str | None  # what the page shows behind "It prints"


def pages() -> list[Path]:
    """Every page that is kept up to date; notes and decisions are left as they were written."""
    docs = ROOT / "docs"
    folders = (docs, docs / "how-to", docs / "recipes")
    return [ROOT / "README.md", *(page for folder in folders for page in sorted(folder.glob("*.md")))]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[Block]:
    return [block for block in _blocks(page.read_text(encoding="utf-8")) if block.language == language]


def _blocks(text: str) -> Iterator[Block]:
    found = list(FENCE.finditer(text))
    for fence, following in zip_longest(found, found[1:]):
        before = text[: fence.start()].rstrip()
        shown = following and text[fence.end() : following.start()].strip() == PRINTS
        yield Block(
            language=fence[1],
            code=fence[2],
            line=text.count("\n", 0, fence.start(2)) + 1,
            slow=bool(SLOW.fullmatch(before.rpartition("\n")[2])),
            prints=following[2] if following and shown else None,
        )
