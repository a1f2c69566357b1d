"""Build the denoisers of a model on the meta device from their configurations, without weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from navicache.generation.index_checks import find_component_class, list_components


@dataclass(frozen=True)
class MetaDenoiser:
    """A denoiser on the meta device, and its configuration."""

    model: nn.Module
    config: Mapping[str, Any]


def build_denoisers(place: Path | str, index: Mapping[str, Any]) -> tuple[dict[str, MetaDenoiser], list[str]]:
    """The denoisers that a model index names, and what is wrong with those that could not be built."""
    from navicache.integrations.denoiser_search import DENOISER_NAMES

    found: dict[str, MetaDenoiser] = {}
    problems: list[str] = []
    for name, (library, kind) in _list_denoiser_entries(index).items():
        try:
            found[name] = _build_denoiser(place, name, find_component_class(library, kind))
        except ValueError as error:
            problems.append(f"{name} ({library}, {kind}): {error}")
    if not found and not problems:
        named = ", ".join(name for name in index if not name.startswith("_"))
        problems.append(f"no denoiser under a known name ({', '.join(DENOISER_NAMES)}); it has: {named}")
    return found, problems


def _list_denoiser_entries(index: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """The entries under a known name, then those of classes that take a latent and a time."""
    import diffusers

    from navicache.integrations.denoiser_search import DENOISER_NAMES, is_denoiser

    entries = list_components(index)
    named = {name: entries[name] for name in DENOISER_NAMES if name in entries}
    others = {name: (library, kind) for name, (library, kind) in entries.items() if library == "diffusers"}
    classes = {name: getattr(diffusers, kind, None) for name, (_, kind) in others.items() if name not in named}
    unnamed = {name: entries[name] for name, kind in classes.items() if kind and is_denoiser(kind)}
    return named | unnamed


def _build_denoiser(place: Path | str, name: str, model: Any) -> MetaDenoiser:
    try:
        config = dict(model.load_config(str(place), subfolder=name))
        with torch.device("meta"):
            return MetaDenoiser(model.from_config(config), config)
    except Exception as error:  # a constructor may stumble over a wrong number in any way
        raise ValueError(f"its config.json does not build it: {error}") from error
