"""Build the node pack for ComfyUI with the library inside: `python -m tools.comfyui_pack` (`make comfyui-pack`).

dist/comfyui/navicache is a folder for custom_nodes, and dist/navicache-comfyui.zip the same in one file.
`comfy node publish` in that folder sends it to ComfyUI's registry.
"""

import argparse
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")


def build_pack(root: Path, out: Path) -> Path:
    """Build the folder, and the zip beside it; return the zip."""
    folder = out / "comfyui" / "navicache"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / "comfyui", folder, ignore=LEFT_OUT)
    shutil.copytree(root / "src" / "navicache", folder / "library" / "navicache", ignore=LEFT_OUT)
    return Path(shutil.make_archive(str(out / "navicache-comfyui"), "zip", folder.parent, folder.name))


def main(argv: list[str] | None = None) -> None:
    """Build it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    print(build_pack(ROOT, parser.parse_args(argv).out))


if __name__ == "__main__":
    main()
