"""Published checkpoints to one diffusers folder."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from navicache.opensora.checkpoint import CONFIG, WEIGHTS, read_shapes, stored_dtype
from navicache.opensora.pipeline import OpenSoraPipeline
from navicache.opensora.scheduler import RectifiedFlowScheduler
from navicache.opensora.transformer import STDiT3Transformer
from navicache.opensora.vae import AutoencoderOpenSora

# What a checkpoint is, by a key that it alone has; no name of a folder is relied on.
SIGNS = {"x_embedder.proj.weight": "transformer", "spatial_vae.module.encoder.conv_in.weight": "vae"}
MODELS: dict[str, Any] = {"transformer": STDiT3Transformer, "vae": AutoencoderOpenSora}
TOKENIZERS = ("tokenizer.json", "spiece.model", "tokenizer_config.json")

Say = Callable[[str], None]


def convert(source: Path, out: Path, dtype: torch.dtype | None = None, say: Say = lambda line: None) -> None:
    """Write a diffusers folder of a published transformer or VAE, or of a folder that holds both.

    A text encoder and its tokenizer beside them are taken along. `out` appears only when it is complete.
    """
    if not source.is_dir():
        raise ValueError(f"no folder {source}: give the folder of a published checkpoint, or one that holds several")
    found = find_parts(source)
    with appearing(out) as folder:
        if source in found.values():
            (part,) = (name for name, place in found.items() if place == source and name in MODELS)
            say(f"{part}: {source}")
            _open(part, source, dtype).save_pretrained(folder)
        else:
            _write_pipeline(found, folder, dtype, say)


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
    missing = [part for part in MODELS if part not in found]
    if missing:
        raise ValueError(
            f"{source} holds no published {' and no '.join(missing)}: give the folder of one checkpoint ({CONFIG} and "
            f"{WEIGHTS}), or a folder with one below it for the transformer and one for the VAE"
        )
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


def _write_pipeline(found: dict[str, Path], folder: Path, dtype: torch.dtype | None, say: Say) -> None:
    for part, place in found.items():
        say(f"{part}: {place}")
    parts: dict[str, Any] = {part: _open(part, found[part], dtype) for part in MODELS}
    parts.update(_text_parts(found, dtype) if {"text_encoder", "tokenizer"} <= found.keys() else {})
    text = {part: parts.pop(part, None) for part in ("text_encoder", "tokenizer")}
    if None in text.values():
        say("no text encoder and tokenizer found: pass them to from_pretrained, or give prompt_embeds")
    OpenSoraPipeline(**text, **parts, scheduler=RectifiedFlowScheduler()).save_pretrained(folder)


def _open(part: str, place: Path, dtype: torch.dtype | None) -> Any:
    return MODELS[part].from_pretrained(place, dtype=dtype or stored_dtype(place / WEIGHTS))


def _text_parts(found: dict[str, Path], dtype: torch.dtype | None) -> dict[str, Any]:
    from transformers import AutoTokenizer, T5EncoderModel

    encoder = T5EncoderModel.from_pretrained(found["text_encoder"], dtype=dtype or "auto")
    return {"text_encoder": encoder, "tokenizer": AutoTokenizer.from_pretrained(found["tokenizer"])}


@contextmanager
def appearing(out: Path) -> Iterator[Path]:
    """A folder to write to, which takes its name when all went well and is gone when it did not."""
    out = out.absolute()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{out} is there already: name another folder, or remove it first")
    if not out.parent.is_dir():
        raise ValueError(f"cannot write {out}: there is no folder {out.parent}; make it first")
    partial = out.with_name(f".{out.name}.partial-{os.getpid()}")
    partial.mkdir()
    try:
        yield partial
        if out.exists():
            out.rmdir()  # empty; not every system renames over it
        partial.rename(out)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
