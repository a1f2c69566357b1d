"""A pipeline as one plain folder, in half precision but for its text encoders."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

# transformers loads weights in the dtype they are stored in and diffusers in float32: a text encoder in half precision
# would not fit the rest of a pipeline opened without a dtype.
FULL_PRECISION = ("text_encoder", "text_encoder_2")


def save_pipeline(pipe: Any, folder: Path, max_shard: str | None = None) -> None:
    """Write the pipeline so that its class opens it with transformers 4 and 5; it names no other folder.

    `max_shard`, such as "13MB", is the size above which weights are split into several files.
    """
    for name, part in pipe.components.items():
        if isinstance(part, torch.nn.Module):
            _ = part.float() if name in FULL_PRECISION else part.half()
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    pipe.save_pretrained(unfinished, max_shard_size=max_shard)
    _clean_configs(unfinished)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


def _clean_configs(folder: Path) -> None:
    for file in (folder / "model_index.json", *folder.glob("tokenizer*/tokenizer_config.json")):
        # the name that both transformers 4 and 5 know
        file.write_text(file.read_text().replace("TokenizersBackend", "PreTrainedTokenizerFast"))
    for file in folder.glob("*/config.json"):
        config = json.loads(file.read_text())
        config.pop("_name_or_path", None)  # the local folder that a part was opened from
        file.write_text(json.dumps(config, indent=2) + "\n")


def count_bytes(folder: Path) -> int:
    """Bytes of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def count_parameters(parts: Mapping[str, Any]) -> dict[str, int]:
    """Number of parameters of each part."""
    modules = {name: part for name, part in parts.items() if isinstance(part, torch.nn.Module)}
    return {name: sum(weight.numel() for weight in part.parameters()) for name, part in modules.items()}
