"""Tiny checkpoints in the form of the published ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tests.opensora.common import table, tensors

# What published configurations hold beside the settings of the model.
TRAINING = {
    "architectures": ["STDiT3"],
    "enable_flash_attn": True,
    "enable_layernorm_kernel": True,
    "freeze_y_embedder": True,
    "model_type": "STDiT3",
    "only_train_temporal": False,
    "torch_dtype": "float32",
    "transformers_version": "4.38.2",
}


def save(folder: Path, config: dict[str, Any], weights: dict[str, torch.Tensor]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    save_file({key: value.contiguous() for key, value in weights.items()}, folder / "model.safetensors")
    return folder


def save_transformer(folder: Path, **changes: torch.Tensor | None) -> Path:
    return save(folder, {**table("stdit3_tiny_config"), **TRAINING}, changed(tensors("stdit3_tiny"), changes))


def save_vae(folder: Path, **changes: torch.Tensor | None) -> Path:
    config = table("vae_full_tiny_config")
    config["vae_2d"] = {**config["vae_2d"], "type": "VideoAutoencoderKL", "from_pretrained": "owner/name"}
    config = {**config, "model_type": "OpenSoraVAE_V1_2", "freeze_vae_2d": False, "cal_loss": False}
    return save(folder, config, changed(tensors("vae_full_tiny"), changes))


def changed(weights: dict[str, torch.Tensor], changes: dict[str, torch.Tensor | None]) -> dict[str, torch.Tensor]:
    """The weights with some replaced or added; None takes one away."""
    return {key: value for key, value in {**weights, **changes}.items() if value is not None}
