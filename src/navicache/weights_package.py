"""The other distributions of this repository, found if they are installed: weights and the Open-Sora model."""

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

INSTALL_COMMAND = "run `pip install ./pocket` in a clone of navicache"
OPENSORA_CLASSES = ("AutoencoderOpenSora", "OpenSoraPipeline", "RectifiedFlowScheduler", "STDiT3Transformer")


def find_weights_folder(folder_name: str) -> Path | None:
    """Find a folder in the installed `navicache-pocket`; None if that is not installed.

    Example:
        >>> find_weights_folder("wan").name
        'wan'
    """
    found = importlib.util.find_spec("navicache_pocket")
    return None if found is None or found.origin is None else Path(found.origin).parent / folder_name


def import_opensora(module: str = "navicache_opensora") -> ModuleType:
    """Import a module of `navicache-opensora`; an error says how to install it.

    Example:
        >>> import_opensora().OpenSoraPipeline.__name__
        'OpenSoraPipeline'
    """
    if importlib.util.find_spec("navicache_opensora") is None:
        raise ValueError("Open-Sora 1.2 needs navicache-opensora: run `pip install ./opensora` in a clone of navicache")
    return importlib.import_module(module)
