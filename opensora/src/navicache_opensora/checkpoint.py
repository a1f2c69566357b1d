"""Opening the published checkpoints, and refusing any checkpoint that does not fit, by name of the key."""

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
# Settings of diffusers' own loader that say nothing to ours: the weights are mapped into memory in any case.
IGNORED = ("low_cpu_mem_usage", "use_safetensors", "disable_mmap", "user_agent", "trust_remote_code")
SHOWN = 5

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Source:
    """A folder, or a repository of the model hub."""

    place: str
    subfolder: str = ""
    hub: Mapping[str, Any] = field(default_factory=dict)

    def file(self, name: str) -> Path:
        """Where the file is on this machine, downloaded if need be."""
        if Path(self.place).is_dir():
            path = Path(self.place) / self.subfolder / name
            if not path.is_file():
                raise OSError(f"{path.parent} holds no {name}: give the folder of a model, or its name on the hub")
            return path
        from huggingface_hub import hf_hub_download

        try:
            return Path(hf_hub_download(self.place, name, subfolder=self.subfolder or None, **self.hub))
        except Exception as error:  # the hub's errors have no common parent
            raise OSError(
                f"cannot get {name} of {self.place}: it is no folder here, and the hub says {type(error).__name__}; "
                "check the name and the network"
            ) from error

    def config(self) -> dict[str, Any]:
        """The configuration beside the weights."""
        path = self.file(CONFIG)
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is damaged, get it again: {error}") from error


class PublishedMixin:
    """`from_pretrained` for both forms, a diffusers folder and the published one; put it before ModelMixin."""

    _optional_keys: frozenset[str] = frozenset()  # may be missing in a checkpoint

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, **options: Any) -> Any:
        """Open a folder or a repository of the hub; a checkpoint with keys missing, extra or misshapen is an error.

        The form is told by the configuration: diffusers writes the name of the class into it. A published checkpoint
        takes `dtype` and the options of the hub; all options of diffusers need a diffusers folder.
        """
        dtype = _dtype(options.get("dtype") or options.get("torch_dtype"))
        hub = {name: options[name] for name in HUB_OPTIONS if options.get(name) is not None}
        source = Source(str(pretrained_model_name_or_path), options.get("subfolder") or "", hub)
        config = source.config()
        if "_class_name" not in config:
            _refuse(options)
            return load_published(cls, config, source, dtype or torch.float32)  # diffusers' own default
        wants_info = options.pop("output_loading_info", False)
        parent: Any = super()
        model, info = parent.from_pretrained(pretrained_model_name_or_path, output_loading_info=True, **options)
        missing = set(info["missing_keys"]) - cls._optional_keys
        complain(source.place, missing, set(info["unexpected_keys"]), {})
        return (model, info) if wants_info else model


def load_published(cls: Any, config: Mapping[str, Any], source: Source, dtype: torch.dtype) -> Any:
    """Build from what of the configuration the class knows, check every key, then load."""
    from accelerate import init_empty_weights

    path = source.file(WEIGHTS)
    with init_empty_weights():  # parameters only: a buffer the file lacks keeps its value
        model = cls(**known_settings(cls, config))
    absent = check_keys(path, model, cls._optional_keys)
    state = {key: value.to(dtype) for key, value in load_file(path).items()}
    model.load_state_dict(state, strict=False, assign=True)
    for key in absent:
        model.get_submodule(key.rpartition(".")[0]).to(dtype)
    model.register_to_config(_name_or_path=source.place)
    return model.requires_grad_(False).eval()


def known_settings(cls: Any, config: Mapping[str, Any]) -> dict[str, Any]:
    """What the constructor takes; published configurations hold settings of their training code too."""
    known = inspect.signature(cls.__init__).parameters
    return {name: value for name, value in config.items() if name in known and value is not None}


def check_keys(path: Path, model: nn.Module, optional: Collection[str]) -> set[str]:
    """Compare names and shapes before any weight is read; returns the optional keys the file lacks."""
    found, wanted = read_shapes(path), {key: tuple(value.shape) for key, value in model.state_dict().items()}
    absent = wanted.keys() - found.keys()
    misshapen = {key: (found[key], wanted[key]) for key in wanted.keys() & found.keys() if found[key] != wanted[key]}
    complain(str(path), absent - set(optional), found.keys() - wanted.keys(), misshapen)
    return absent


def read_shapes(path: Path) -> Shapes:
    """Names and shapes in a safetensors file, from its header."""
    try:
        with safe_open(path, framework="pt") as file:
            return {key: tuple(file.get_slice(key).get_shape()) for key in file.keys()}  # noqa: SIM118  (no mapping)
    except SafetensorError as error:
        raise ValueError(f"{path} is no safetensors file, or damaged: get it again ({error})") from error


def stored_dtype(path: Path) -> torch.dtype:
    """The dtype a safetensors file keeps its first tensor in."""
    with safe_open(path, framework="pt") as file:
        return file.get_tensor(next(iter(file.keys()))).dtype


def complain(
    place: str,
    missing: Collection[str],
    extra: Collection[str],
    misshapen: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]],
) -> None:
    """Raise with the names of the keys that do not fit."""
    shapes = [f"{key} is {have}, not {want}" for key, (have, want) in sorted(misshapen.items())]
    parts = [
        f"{kind}: {_some(names)}"
        for kind, names in (("missing", sorted(missing)), ("not of this model", sorted(extra)), ("misshapen", shapes))
        if names
    ]
    if parts:
        raise ValueError(
            f"{place} does not fit the model. {'; '.join(parts)}. "
            f"Check that it is the checkpoint you meant, and that its {CONFIG} belongs to it"
        )


def _some(names: list[str]) -> str:
    rest = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def _dtype(dtype: Any) -> torch.dtype | None:
    if dtype is not None and not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise TypeError(f"dtype must be a torch.dtype of floats such as torch.bfloat16, got {dtype!r}")
    return dtype


def _refuse(options: Mapping[str, Any]) -> None:
    taken = {*HUB_OPTIONS, *IGNORED, "dtype", "torch_dtype", "subfolder"}
    other = sorted(name for name, value in options.items() if name not in taken and value)
    if other:
        raise ValueError(
            f"a published checkpoint is opened without {', '.join(other)}: leave it out, or make a diffusers folder of "
            "it first with navicache_opensora.convert"
        )
