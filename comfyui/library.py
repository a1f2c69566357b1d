"""What the pack needs before its nodes can be imported: a ComfyUI with the node API it uses, and the library."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parent
LIBRARY_FOLDERS = (FOLDER / "library", FOLDER.parent / "src")  # of the built pack, and of a clone
API_NAMES = ("DynamicCombo", "MatchType")  # the newest names of ComfyUI's API that the nodes use
OLDEST_COMFYUI = "0.8.0"


def check_comfyui() -> None:
    """Raise ImportError with what to do if ComfyUI is too old for the nodes."""
    try:
        from comfy_api.latest import io
    except ImportError as error:
        raise ImportError(_explain_update("has no node API comfy_api.latest")) from error
    missing = [name for name in API_NAMES if name not in vars(io)]
    if missing:
        raise ImportError(_explain_update(f"has no {' and no '.join(missing)} in its node API"))


def load_library() -> ModuleType:
    """Import the library that came with the pack; without one, the installed library.

    Only the name `navicache` is added: no folder goes on the path, and nothing is installed.
    """
    if "navicache" in sys.modules:
        return sys.modules["navicache"]
    folder = next((folder for folder in LIBRARY_FOLDERS if (folder / "navicache" / "__init__.py").is_file()), None)
    if folder is not None:
        return _load_package(folder / "navicache")
    if importlib.util.find_spec("navicache") is None:
        raise ImportError(
            "the navicache library is missing beside its nodes: put a clone of the whole repository into custom_nodes, "
            "or the folder that `make comfyui-pack` builds, instead of the folder comfyui alone"
        )
    return importlib.import_module("navicache")


def _explain_update(lack: str) -> str:
    return f"update ComfyUI to {OLDEST_COMFYUI} or newer for the NaviCache nodes: this one {lack}"


def _load_package(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("navicache", folder / "__init__.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot read the navicache library in {folder}: unpack it again")
    module = importlib.util.module_from_spec(spec)
    sys.modules["navicache"] = module  # before it runs: its modules import each other by this name
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules["navicache"]
        raise
    return module
