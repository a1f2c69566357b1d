"""Find the components of a pipeline in folders of published checkpoints, and load them."""

import json
from pathlib import Path
from typing import Any

import torch

from navicache_opensora.checkpoint import CONFIG, WEIGHTS, read_stored_dtype, read_tensor_shapes
from navicache_opensora.scheduler import RectifiedFlowScheduler
from navicache_opensora.transformer import STDiT3Transformer
from navicache_opensora.vae import AutoencoderOpenSora

# A key that only checkpoints of this component have; the names of folders do not matter.
IDENTIFYING_KEYS = {"x_embedder.proj.weight": "transformer", "spatial_vae.module.encoder.conv_in.weight": "vae"}
MODEL_CLASSES: dict[str, Any] = {"transformer": STDiT3Transformer, "vae": AutoencoderOpenSora}
TEXT_COMPONENTS = ("text_encoder", "tokenizer")
TOKENIZER_FILES = ("tokenizer.json", "spiece.model", "tokenizer_config.json")


def find_components(source: Path) -> dict[str, Path]:
    """The components in a folder or directly below it, recognised by their files."""
    alone = identify_component(source)
    if alone in MODEL_CLASSES:
        return {alone: source}
    found: dict[str, Path] = {}
    for folder in sorted(path for path in source.iterdir() if path.is_dir()):
        for component in (
            identify_component(folder),
            "tokenizer" if any((folder / name).is_file() for name in TOKENIZER_FILES) else None,
        ):
            if component in found:
                raise ValueError(
                    f"{source} holds two of {component}, {found[component].name} and {folder.name}: remove one"
                )
            if component is not None:
                found[component] = folder
    return found


def identify_component(folder: Path) -> str | None:
    """The component in a folder, recognised by its files; None if there is none."""
    if (folder / CONFIG).is_file() and _read_model_type(folder) == "t5":
        return "text_encoder"
    if not (folder / WEIGHTS).is_file():
        return None
    keys = read_tensor_shapes(folder / WEIGHTS)
    return next((component for key, component in IDENTIFYING_KEYS.items() if key in keys), None)


def _read_model_type(folder: Path) -> str | None:
    try:
        return json.loads((folder / CONFIG).read_text(encoding="utf-8")).get("model_type")
    except ValueError as error:
        raise ValueError(f"{folder / CONFIG} is damaged, download it again: {error}") from error


def load_components(source: Path, dtype: torch.dtype | None = None) -> dict[str, Any]:
    """All components of a pipeline; text encoder and tokenizer are None if one of them is not found.

    Without `dtype` every model keeps the dtype it is stored in.
    """
    found = find_components(source)
    missing = [component for component in MODEL_CLASSES if component not in found]
    if missing:
        raise ValueError(
            f"{source} holds no published {' and no '.join(missing)}: give a diffusers folder, or a folder with one "
            f"below it for the transformer and one for the VAE, each with {CONFIG} and {WEIGHTS}"
        )
    components: dict[str, Any] = {
        component: load_model(component, found[component], dtype) for component in MODEL_CLASSES
    }
    text: dict[str, Any] = dict.fromkeys(TEXT_COMPONENTS)
    if found.keys() >= text.keys():
        text = _load_text_components(found, dtype)
    return {**text, **components, "scheduler": RectifiedFlowScheduler()}


def load_model(component: str, folder: Path, dtype: torch.dtype | None) -> Any:
    """Load the transformer or the VAE from its published checkpoint."""
    return MODEL_CLASSES[component].from_pretrained(folder, dtype=dtype or read_stored_dtype(folder / WEIGHTS))


def _load_text_components(found: dict[str, Path], dtype: torch.dtype | None) -> dict[str, Any]:
    from transformers import AutoTokenizer, T5EncoderModel

    encoder = T5EncoderModel.from_pretrained(found["text_encoder"], dtype=dtype or "auto")
    return {"text_encoder": encoder, "tokenizer": AutoTokenizer.from_pretrained(found["tokenizer"])}
