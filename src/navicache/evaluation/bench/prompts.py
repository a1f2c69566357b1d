"""Prompts from a file beside the plan, or from VBench's list."""

import importlib.util
import json
from collections.abc import Collection
from pathlib import Path

VBENCH_LIST = "VBench_full_info.json"


def read_prompt_file(plan_folder: Path, name: str) -> list[str]:
    """Read one prompt per line; the file must be in the plan's folder or below."""
    path = (plan_folder / name).resolve()
    if not path.is_relative_to(plan_folder.resolve()):
        raise ValueError(f"prompts.file {name!r} leads out of the plan's folder: put the file beside the plan")
    if not path.is_file():
        raise ValueError(f"no file {path}: prompts.file is taken from the plan's folder")
    found = list(dict.fromkeys(line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()))
    if not found:
        raise ValueError(f"{path} holds no prompt: write one per line")
    return found


def vbench_prompts(dimensions: Collection[str] = (), path: Path | None = None) -> list[str]:
    """The prompts of VBench's list, in its order, of all dimensions or of these."""
    entries = json.loads((path or find_vbench_list()).read_text(encoding="utf-8"))
    known = sorted({dimension for entry in entries for dimension in entry["dimension"]})
    for dimension in dimensions:
        if dimension not in known:
            raise ValueError(f"VBench has no dimension {dimension!r}; known: {', '.join(known)}")
    wanted = set(dimensions) or set(known)
    return list(dict.fromkeys(entry["prompt_en"] for entry in entries if wanted & set(entry["dimension"])))


def find_vbench_list() -> Path:
    """The list in the installed package, which is found without importing it."""
    spec = importlib.util.find_spec("vbench")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(folder) / VBENCH_LIST).is_file():
            return path
    raise ValueError("VBench's prompts come with its package: pip install --no-deps vbench==0.1.5")
