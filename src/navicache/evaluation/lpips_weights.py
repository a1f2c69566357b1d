"""The weights of LPIPS: AlexNet's convolutions and the linear heads in one file, checked by a digest."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from navicache.weights_package import INSTALL_COMMAND, find_weights_folder

FILE_NAME = "lpips-alex-0.1.safetensors"
# `digest` of the published tensors: torchvision's AlexNet (convolutions.*) and lpips 0.1.4 (heads.*).
SHA256 = "010573e4cfd33a7ebb7f9d1402d08d2141eabdade68d830c0548b65770e35fc7"


class WeightsError(ValueError):
    """The weights are missing or damaged; the message says what to do."""


def digest(tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 over names, shapes, types and values, in the order of the names.

    Example:
        >>> import torch
        >>> digest({"a": torch.zeros(2)})[:8]
        'da53f451'
    """
    total = sha256()
    for name in sorted(tensors):
        values = tensors[name].detach().cpu().contiguous()
        total.update(f"{name} {values.dtype} {tuple(values.shape)}\n".encode())
        total.update(values.numpy().tobytes())
    return total.hexdigest()


def load(path: Path | None = None) -> dict[str, Tensor]:
    """Load and check the weights: from `path`, else from the folder `NAVICACHE_HOME`, else from `navicache-pocket`."""
    path = path or _find_file()
    if not path.is_file():
        raise WeightsError(f"the weights of LPIPS are not at {path}: {INSTALL_COMMAND}")
    try:
        tensors = load_file(path)
    except SafetensorError as error:
        raise WeightsError(f"{path} is damaged ({error}): {INSTALL_COMMAND}") from error
    if digest(tensors) != SHA256:
        raise WeightsError(f"{path} is damaged (its SHA-256 is not that of the published weights): {INSTALL_COMMAND}")
    return tensors


def _find_file() -> Path:
    home = os.environ.get("NAVICACHE_HOME")
    folders = [Path(home).expanduser().absolute() if home else None, find_weights_folder("lpips")]
    paths = [folder / FILE_NAME for folder in folders if folder is not None]
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        raise WeightsError(
            f"the weights of LPIPS are not installed: {INSTALL_COMMAND}, or set NAVICACHE_HOME to a folder that has "
            f"{FILE_NAME}"
        )
    return found
