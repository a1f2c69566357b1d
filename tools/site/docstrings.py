"""Prepare docstrings for the site: examples become code, comments behind fields become their descriptions."""

import re
import textwrap
from typing import Any

import griffe

EXAMPLE_PATTERN = re.compile(r"^Example:\n((?:[ \t]+.*\n?|\n)+)", re.MULTILINE)
REMARK_PATTERN = re.compile(r"  # (.+)$")


def fence_example(match: re.Match[str]) -> str:
    """An example as a block of code."""
    return f"**Example:**\n\n```python\n{textwrap.dedent(match[1]).strip()}\n```\n\n"


def collect_field_remarks(kind: griffe.Class) -> dict[str, str]:
    """Collect the comments behind the fields of a class, by field name."""
    lines = {name: field.source.splitlines()[0] for name, field in kind.attributes.items() if field.source}
    found = {name: REMARK_PATTERN.search(line) for name, line in lines.items()}
    return {name: remark[1] for name, remark in found.items() if remark}


class DocstringExtension(griffe.Extension):
    """Called by mkdocstrings for everything it reads."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Turn `Example:` into a code block; the Google style knows only the plural."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE_PATTERN.sub(fence_example, obj.docstring.value)

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Add a table of the fields with a comment; the signature shows the others with their defaults."""
        said = collect_field_remarks(cls)
        if cls.docstring and said:
            table = "\n".join(f"    {name}: {text}" for name, text in said.items())
            cls.docstring.value += f"\n\nAttributes:\n{table}\n"
