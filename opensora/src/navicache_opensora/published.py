"""Published checkpoints in folders: which is which, and how each is opened."""

import json
from pathlib import Path
from typing import Any

import torch

from navicache_opensora.checkpoint import CONFIG, WEIGHTS, read_shapes, stored_dtype
from navicache_opensora.scheduler import RectifiedFlowScheduler
from navicache_opensora.transformer import STDiT3Transformer
from navicache_opensora.vae import AutoencoderOpenSora

# What a checkpoint is, by a key that it alone has; no name of a folder is relied on.
SIGNS = {"x_embedder.proj.weight": "transformer", "spatial_vae.module.encoder.conv_in.weight": "vae"}
MODELS: dict[str, Any] = {"transformer": STDiT3Transformer, "vae": AutoencoderOpenSora}
TEXT = ("text_encoder", "tokenizer")
TOKENIZERS = ("tokenizer.json", "spiece.model", "tokenizer_config.json")


def find_parts(source: Path) -> dict[str, Path]:
    """The parts in a folder or right below it, by what their files say they are."""
    alone = part_of(source)
    if alone in MODELS:
        return {alone: source}
    found: dict[str, Path] = {}
    for place in sorted(path for path in source.iterdir() if path.is_dir()):
        for part in (part_of(place), "tokenizer" if any((place / name).is_file() for name in TOKENIZERS) else None):
            if part in found:
                raise ValueError(f"{source} holds two of {part}, {found[part].name} and {place.name}: take one away")
            if part is not None:
                found[part] = place
    return found


def part_of(place: Path) -> str | None:
    """What a folder holds, told by its files; None where it is nothing of Open-Sora."""
    if (place / CONFIG).is_file() and _model_type(place) == "t5":
        return "text_encoder"
    if not (place / WEIGHTS).is_file():
        return None
    keys = read_shapes(place / WEIGHTS)
    return next((part for sign, part in SIGNS.items() if sign in keys), None)


def _model_type(place: Path) -> str | None:
    try:
        return json.loads((place / CONFIG).read_text(encoding="utf-8")).get("model_type")
    except ValueError as error:
        raise ValueError(f"{place / CONFIG} is damaged, get it again: {error}") from error


def open_parts(source: Path, dtype: torch.dtype | None = None) -> dict[str, Any]:
    """All parts of a pipeline; text encoder and tokenizer are None where either was not found.

    Without a dtype every model is in the one it is stored in.
    """
    found = find_parts(source)
    missing = [part for part in MODELS if part not in found]
    if missing:
        raise ValueError(
            f"{source} holds no published {' and no '.join(missing)}: give a diffusers folder, or a folder with one "
            f"below it for the transformer and one for the VAE, each with {CONFIG} and {WEIGHTS}"
        )
    parts: dict[str, Any] = {part: open_model(part, found[part], dtype) for part in MODELS}
    text = _open_text(found, dtype) if found.keys() >= set(TEXT) else {part: None for part in TEXT}
    return {**text, **parts, "scheduler": RectifiedFlowScheduler()}


def open_model(part: str, place: Path, dtype: torch.dtype | None) -> Any:
    """The transformer or the VAE."""
    return MODELS[part].from_pretrained(place, dtype=dtype or stored_dtype(place / WEIGHTS))


def _open_text(found: dict[str, Path], dtype: torch.dtype | None) -> dict[str, Any]:
    from transformers import AutoTokenizer, T5EncoderModel

    encoder = T5EncoderModel.from_pretrained(found["text_encoder"], dtype=dtype or "auto")
    return {"text_encoder": encoder, "tokenizer": AutoTokenizer.from_pretrained(found["tokenizer"])}
