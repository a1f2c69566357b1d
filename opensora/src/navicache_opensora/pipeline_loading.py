"""`from_pretrained` of the pipeline, for diffusers folders and for folders of published checkpoints."""

from pathlib import Path
from typing import Any

import torch

from navicache_opensora.published import load_components

FORMER_PACKAGE, PACKAGE = "navicache.opensora.", "navicache_opensora."


class OpenSoraLoaderMixin:
    """`from_pretrained` of the pipeline; put it before DiffusionPipeline."""

    config_name: str  # of DiffusionPipeline

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, **options: Any) -> Any:
        """Load a diffusers folder, or a folder with the published checkpoints in folders below it.

        The latter takes `dtype`, and components that replace its own.
        """
        folder = Path(str(pretrained_model_name_or_path))
        if not folder.is_dir() or (folder / cls.config_name).is_file():
            parent: Any = super()
            return parent.from_pretrained(pretrained_model_name_or_path, **options)
        dtype = options.pop("dtype", None) or options.pop("torch_dtype", None) or torch.float32
        components = load_components(folder, dtype)
        if unknown := sorted(options.keys() - components.keys()):
            raise ValueError(f"published checkpoints are loaded without {', '.join(unknown)}: leave it out")
        return cls(**{**components, **options})

    @classmethod
    def load_config(cls, *arguments: Any, **options: Any) -> Any:
        """Read `model_index.json`, and translate the libraries of folders that `navicache.opensora` saved."""
        parent: Any = super()
        config = parent.load_config(*arguments, **options)
        if not isinstance(config, dict):  # a caller that asked for the unused options gets a tuple
            return config
        return {name: _translate_library(value) for name, value in config.items()}


def _translate_library(entry: Any) -> Any:
    """Library and class of a component, with this package under its present name.

    Example:
        >>> _translate_library(["navicache.opensora.vae", "AutoencoderOpenSora"])
        ['navicache_opensora.vae', 'AutoencoderOpenSora']
    """
    if not isinstance(entry, list) or not str(entry[0]).startswith(FORMER_PACKAGE):
        return entry
    return [PACKAGE + entry[0].removeprefix(FORMER_PACKAGE), *entry[1:]]
