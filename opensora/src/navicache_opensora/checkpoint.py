"""Load published checkpoints, and refuse a checkpoint whose keys or shapes do not fit the model."""

import inspect
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from torch import nn

CONFIG, WEIGHTS = "config.json", "model.safetensors"
HUB_OPTIONS = ("cache_dir", "force_download", "local_files_only", "revision", "token")
# Options of diffusers' loader that change nothing here: the weights are always mapped into memory.
IGNORED_OPTIONS = ("low_cpu_mem_usage", "use_safetensors", "disable_mmap", "user_agent", "trust_remote_code")
MAX_NAMES = 5

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class CheckpointLocation:
    """A folder, or a repository of the model hub."""

    name_or_path: str
    subfolder: str = ""
    hub_options: Mapping[str, Any] = field(default_factory=dict)

    def find_file(self, name: str) -> Path:
        """The local path of a file; a file of the hub is downloaded first."""
        if Path(self.name_or_path).is_dir():
            path = Path(self.name_or_path) / self.subfolder / name
            if not path.is_file():
                raise OSError(f"{path.parent} holds no {name}: give the folder of a model, or its name on the hub")
            return path
        from huggingface_hub import hf_hub_download

        try:
            return Path(hf_hub_download(self.name_or_path, name, subfolder=self.subfolder or None, **self.hub_options))
        except Exception as error:  # the hub's errors have no common parent
            raise OSError(
                f"cannot get {name} of {self.name_or_path}: it is no folder here, and the hub "
                f"raises {type(error).__name__}; check the name and the network"
            ) from error

    def read_config(self) -> dict[str, Any]:
        """The configuration beside the weights."""
        path = self.find_file(CONFIG)
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is damaged, download it again: {error}") from error


class PublishedCheckpointMixin:
    """`from_pretrained` for diffusers folders and for published checkpoints; put it before ModelMixin."""

    _optional_keys: frozenset[str] = frozenset()  # may be missing in a checkpoint

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, **options: Any) -> Any:
        """Load a folder or a repository of the hub; missing or extra keys and wrong shapes are an error.

        A configuration with the name of a class is of diffusers, one without is of a published checkpoint. A published
        checkpoint takes `dtype` and the options of the hub; all other options need a diffusers folder.
        """
        dtype = _check_dtype(options.get("dtype") or options.get("torch_dtype"))
        hub_options = {name: options[name] for name in HUB_OPTIONS if options.get(name) is not None}
        location = CheckpointLocation(str(pretrained_model_name_or_path), options.get("subfolder") or "", hub_options)
        config = location.read_config()
        if "_class_name" not in config:
            _refuse_options(options)
            return load_published_model(cls, config, location, dtype or torch.float32)  # diffusers' own default
        wants_info = options.pop("output_loading_info", False)
        parent: Any = super()
        model, info = parent.from_pretrained(pretrained_model_name_or_path, output_loading_info=True, **options)
        missing = set(info["missing_keys"]) - cls._optional_keys
        raise_if_mismatched(location.name_or_path, missing, set(info["unexpected_keys"]), {})
        return (model, info) if wants_info else model


def load_published_model(cls: Any, config: Mapping[str, Any], location: CheckpointLocation, dtype: torch.dtype) -> Any:
    """Build the model from its configuration, check every key, then load the weights."""
    from accelerate import init_empty_weights

    path = location.find_file(WEIGHTS)
    with init_empty_weights():  # parameters only: a buffer that is not in the file keeps its value
        model = cls(**select_init_arguments(cls, config))
    absent = check_keys(path, model, cls._optional_keys)
    state = {key: value.to(dtype) for key, value in load_file(path).items()}
    model.load_state_dict(state, strict=False, assign=True)
    for key in absent:
        model.get_submodule(key.rpartition(".")[0]).to(dtype)
    model.register_to_config(_name_or_path=location.name_or_path)
    return model.requires_grad_(False).eval()


def select_init_arguments(cls: Any, config: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that the constructor takes; published configurations also hold settings for training."""
    parameters = inspect.signature(cls.__init__).parameters
    return {name: value for name, value in config.items() if name in parameters and value is not None}


def check_keys(path: Path, model: nn.Module, optional: Collection[str]) -> set[str]:
    """Compare names and shapes before any weight is read; returns the optional keys that are not in the file."""
    found, expected = read_tensor_shapes(path), {key: tuple(value.shape) for key, value in model.state_dict().items()}
    absent = expected.keys() - found.keys()
    wrong_shapes = {
        key: (found[key], expected[key]) for key in expected.keys() & found.keys() if found[key] != expected[key]
    }
    raise_if_mismatched(str(path), absent - set(optional), found.keys() - expected.keys(), wrong_shapes)
    return absent


def read_tensor_shapes(path: Path) -> Shapes:
    """Names and shapes in a safetensors file, from its header."""
    try:
        with safe_open(path, framework="pt") as file:
            return {key: tuple(file.get_slice(key).get_shape()) for key in file.keys()}  # noqa: SIM118  (no mapping)
    except SafetensorError as error:
        raise ValueError(f"{path} is no safetensors file, or damaged: download it again ({error})") from error


def read_stored_dtype(path: Path) -> torch.dtype:
    """The dtype of the first tensor in a safetensors file."""
    with safe_open(path, framework="pt") as file:
        return file.get_tensor(next(iter(file.keys()))).dtype


def raise_if_mismatched(
    name_or_path: str,
    missing: Collection[str],
    extra: Collection[str],
    wrong_shapes: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]],
) -> None:
    """Raise with the names of the keys that do not fit."""
    shapes = [f"{key} is {have}, not {want}" for key, (have, want) in sorted(wrong_shapes.items())]
    parts = [
        f"{kind}: {_join_names(names)}"
        for kind, names in (("missing", sorted(missing)), ("not of this model", sorted(extra)), ("wrong shape", shapes))
        if names
    ]
    if parts:
        raise ValueError(
            f"{name_or_path} does not fit the model. {'; '.join(parts)}. "
            f"Check that it is the right checkpoint, and that its {CONFIG} belongs to it"
        )


def _join_names(names: list[str]) -> str:
    rest = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def _check_dtype(dtype: Any) -> torch.dtype | None:
    if dtype is not None and not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise TypeError(f"dtype must be a torch.dtype of floats such as torch.bfloat16, got {dtype!r}")
    return dtype


def _refuse_options(options: Mapping[str, Any]) -> None:
    accepted = {*HUB_OPTIONS, *IGNORED_OPTIONS, "dtype", "torch_dtype", "subfolder"}
    other = sorted(name for name, value in options.items() if name not in accepted and value)
    if other:
        raise ValueError(
            f"a published checkpoint is loaded without {', '.join(other)}: leave it out, or make a diffusers folder of "
            "it first with navicache_opensora.convert.convert_checkpoints"
        )
