"""What a folder holds."""

from pathlib import Path


def names_in(folder: Path) -> list[str]:
    """The names of all files in it and below."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())
