"""How our docstrings are read for the site: examples as code, and what stands behind a field as its description."""

import re
import textwrap
from typing import Any

import griffe

EXAMPLE = re.compile(r"^Example:\n((?:[ \t]+.*\n?|\n)+)", re.MULTILINE)
REMARK = re.compile(r"  # (.+)$")


def fenced(match: re.Match[str]) -> str:
    """An example as a block of code."""
    return f"**Example:**\n\n```python\n{textwrap.dedent(match[1]).strip()}\n```\n"


class OurDocstrings(griffe.Extension):
    """Called by mkdocstrings for everything it reads."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Docstrings say `Example:`, of which the Google style knows only the plural."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(fenced, obj.docstring.value)

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """A field says what it is for in the remark behind it."""
        remark = REMARK.search(attr.source.splitlines()[0]) if attr.source else None
        if remark and not attr.docstring:
            attr.docstring = griffe.Docstring(remark[1][0].upper() + remark[1][1:], parent=attr)
