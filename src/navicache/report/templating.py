"""Pages from the templates of this package; text is escaped."""

import base64
from pathlib import Path
from typing import Any

from navicache.records import summarise

FOLDER = Path(__file__).parent / "templates"


def render_template(name: str, **values: Any) -> str:
    """The markup of a template with these values."""
    from jinja2 import Environment, FileSystemLoader, select_autoescape

    loader, escape = FileSystemLoader(FOLDER), select_autoescape(["html", "j2"])
    environment = Environment(loader=loader, autoescape=escape, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(encoded=encode_file, summary=summarise)
    return environment.get_template(name).render(**values)


def encode_file(path: Path) -> str:
    """A file in base64, for an address that begins with `data:`."""
    return base64.b64encode(path.read_bytes()).decode()
