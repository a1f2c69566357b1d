"""Replace `<!-- modules -->` in a page by tables of the modules and the first lines of their docstrings."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[2] / "src" / "navicache"
PLACEHOLDER = "<!-- modules -->"


def read_purpose(module: Path) -> str:
    """The first line of a module's docstring."""
    text = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))
    if not text:
        raise ValueError(f"{module} has no docstring: its first line says what the module is for")
    return text.splitlines()[0].replace("|", "\\|")


def format_rows(package: Path) -> Iterator[str]:
    """One line of a table for every module of a package and of those in it."""
    for module in sorted(package.rglob("*.py")):
        if module != package / "__init__.py":
            yield f"    | `{module.relative_to(package).as_posix()}` | {read_purpose(module)} |"


def format_tables() -> str:
    """A folded table for every package, by name."""
    parts = []
    for package in sorted(folder.parent for folder in PACKAGE.glob("*/__init__.py")):
        title = read_purpose(package / "__init__.py").replace('"', "'").replace("`", "")
        parts.append(f'??? note "{package.name}: {title}"\n\n    | module | what it is for |\n    |---|---|\n')
        parts.append("\n".join(format_rows(package)) + "\n\n")
    return "".join(parts)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for every page."""
    return markdown.replace(PLACEHOLDER, format_tables()) if PLACEHOLDER in markdown else markdown
