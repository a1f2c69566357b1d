"""Links of the repository, made to work on the site.

A page links to what lies beside it in the repository, so that it reads well there. On the site a folder is its README,
and what lies outside of docs/ is on the code host. What leads nowhere is left as it is: mkdocs then stops.
"""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LINK_PATTERN = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def read_repository_url() -> str:
    """The code host's address of the repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["urls"]["Repository"]


def rewrite_link(link: str, page: Path) -> str:
    """The target of a link on a page, as the site needs it.

    Example:
        >>> rewrite_link("results", DOCS / "bench.md"), rewrite_link("glossary.md", DOCS / "bench.md")
        ('results/README.md', 'glossary.md')
        >>> rewrite_link("../plans/table1.toml", DOCS / "bench.md").removeprefix(read_repository_url())
        '/blob/main/plans/table1.toml'
    """
    if ":" in link:
        return link
    place = Path(os.path.normpath(page.parent / link))
    if place.is_dir() and place.is_relative_to(DOCS):
        return f"{link.rstrip('/')}/README.md"
    if place.exists() and not place.is_relative_to(DOCS):
        kind = "tree" if place.is_dir() else "blob"
        return f"{read_repository_url()}/{kind}/main/{place.relative_to(ROOT).as_posix()}"
    return link


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by mkdocs for every page."""
    here = Path(page.file.abs_src_path)
    return LINK_PATTERN.sub(lambda link: f"]({rewrite_link(link[1], here)}{link[2] or ''})", markdown)
