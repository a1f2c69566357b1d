"""Render equations as MathML, which browsers draw without scripts."""

import html as entities
import re
from typing import Any

from latex2mathml.converter import convert

EQUATION_PATTERN = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def render_equation(match: re.Match[str]) -> str:
    """One equation."""
    display = "block" if match[2] == "[" else "inline"
    return convert(entities.unescape(match[3]).strip(), display=display)


def on_page_content(html: str, **_: Any) -> str:
    """Called by mkdocs for every page, once it is HTML."""
    return EQUATION_PATTERN.sub(render_equation, html)
