"""Source files and projects made up to be measured."""

from pathlib import Path
from textwrap import dedent

from tools.measures.source_modules import SourceModule

LAYERS = """
[[tool.importlinter.contracts]]
type = "forbidden"

[[tool.importlinter.contracts]]
type = "layers"
layers = ["high", "left | (right)", "low"]
"""


def module(tmp_path: Path, text: str) -> SourceModule:
    path = tmp_path / "one.py"
    path.write_text(dedent(text))
    return SourceModule("one", path)


def project(root: Path, **files: str) -> Path:
    """A project with these modules of `navicache`; `a__b` is a/b.py."""
    (root / "pyproject.toml").write_text(LAYERS)
    (root / "tests").mkdir()
    for name, text in {"__init__": "", **files}.items():
        path = root / "src" / "navicache" / f"{name if name.startswith('__') else name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return root
