"""ComfyUI is imported where it is spoken to, and nowhere else."""

import re
from pathlib import Path

from tests.comfyui.server import ROOT

IMPORT = re.compile(r"^\s*(?:from|import) (?:comfy|comfy_api|comfy_extras|comfy_execution|folder_paths|nodes)\b", re.M)
SPOKEN = ("comfyui", "tests/comfyui")
FOLDERS = ("src", "tests", "benchmarks", "tools", "pocket", "comfyui")


def importing() -> list[str]:
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return [path.relative_to(ROOT).as_posix() for path in files if IMPORT.search(path.read_text(encoding="utf-8"))]


def test_only_its_own_places_import_it() -> None:
    found = importing()
    assert "comfyui/cache_node.py" in found
    assert [path for path in found if not any(Path(path).is_relative_to(place) for place in SPOKEN)] == []
