"""Figures on the disk."""

import json
from pathlib import Path
from typing import Any

from navicache.records import open_atomic_file


def save_json(path: Path, figures: Any, indent: int | None = 1) -> None:
    """Whole or not at all, in a folder that is made if it is missing; no indent for what nobody reads by eye."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic_file(path) as file:
        file.write(json.dumps(figures, indent=indent).encode() + b"\n")
