"""Expand a folder in the navigation to its dated notes, newest first."""

from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


def list_notes(folder: str) -> list[str]:
    """The README of a folder of notes, then its notes, newest first."""
    dated = sorted((path.name for path in (DOCS / folder).glob("2*.md")), reverse=True)
    return [f"{folder}README.md", *(f"{folder}{name}" for name in dated)]


def expand_folders(entry: Any) -> Any:
    """A part of the navigation with every folder in it replaced by its notes."""
    if isinstance(entry, list):
        return [expand_folders(part) for part in entry]
    if isinstance(entry, dict):
        return {title: expand_folders(part) for title, part in entry.items()}
    return list_notes(entry) if entry.endswith("/") else entry


def on_config(config: Any, **_: Any) -> Any:
    """Called by mkdocs once the settings are read."""
    config.nav = expand_folders(config.nav)
    return config
