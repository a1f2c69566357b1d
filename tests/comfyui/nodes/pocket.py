"""The embedded Wan in ComfyUI's own classes: its transformer, its words and its pictures."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import comfy.latent_formats
import comfy.model_management
import comfy.model_patcher
import comfy.supported_models
import torch
from diffusers import AutoencoderKLWan, WanPipeline
from safetensors.torch import load_file

from navicache.pocket import checkpoint_path

from .names import renamed

TEXT_LENGTH = 32  # of those it was trained with, the most frequent and the cheapest


class PocketLatents(comfy.latent_formats.Wan21):
    """Wan's latents with the embedded autoencoder's own mean and deviation."""

    def __init__(self) -> None:
        super().__init__()
        config = read_config("vae")
        shape = (1, self.latent_channels, 1, 1, 1)
        self.latents_mean = torch.tensor(config["latents_mean"]).view(shape)
        self.latents_std = torch.tensor(config["latents_std"]).view(shape)


def read_config(part: str) -> dict[str, Any]:
    """The config.json of one part of the pipeline."""
    return json.loads((part_path(part) / "config.json").read_text())


def part_path(part: str) -> Path:
    """The folder of one part of the pipeline."""
    return checkpoint_path() / part


def load_model(dtype: torch.dtype = torch.float32) -> comfy.model_patcher.ModelPatcher:
    """The transformer, as a MODEL; ComfyUI's own detection would take its heads for wider ones."""
    config = read_config("transformer")
    names = {"in_dim": "in_channels", "out_dim": "out_channels", "num_heads": "num_attention_heads"}
    same = ("ffn_dim", "freq_dim", "text_dim", "num_layers", "eps")
    sizes = {ours: config[theirs] for ours, theirs in names.items()} | {name: config[name] for name in same}
    sizes["dim"] = config["num_attention_heads"] * config["attention_head_dim"]
    found = comfy.supported_models.WAN21_T2V({"image_model": "wan2.1", "model_type": "t2v", **sizes})
    found.set_inference_dtype(dtype, None)
    found.latent_format = PocketLatents()
    model = found.get_model({}, "")
    weights = load_file(part_path("transformer") / "diffusion_pytorch_model.safetensors")
    model.diffusion_model.load_state_dict(renamed(weights))
    device = comfy.model_management.get_torch_device()
    return comfy.model_patcher.ModelPatcher(model, load_device=device, offload_device=torch.device("cpu"))


@cache
def text_pipeline() -> WanPipeline:
    """The pipeline without what ComfyUI runs itself."""
    return WanPipeline.from_pretrained(checkpoint_path(), transformer=None, vae=None)


def encode(prompt: str) -> torch.Tensor:
    """The words as the transformer was trained to read them."""
    with torch.no_grad():
        return text_pipeline().encode_prompt(
            prompt, do_classifier_free_guidance=False, max_sequence_length=TEXT_LENGTH
        )[0]


@cache
def autoencoder() -> AutoencoderKLWan:
    """Theirs cannot open it: it is smaller than any of the layouts they know."""
    found = AutoencoderKLWan.from_pretrained(part_path("vae"), torch_dtype=torch.float32).eval()
    return found.to(comfy.model_management.get_torch_device())


def decode(latents: torch.Tensor) -> torch.Tensor:
    """Frames of all samples, one after the other, (frames, height, width, 3) from 0 to 1."""
    with torch.no_grad():
        device = comfy.model_management.get_torch_device()
        video = autoencoder().decode(latents.to(device, torch.float32), return_dict=False)[0].cpu()
    return (video.clamp(-1, 1) / 2 + 0.5).permute(0, 2, 3, 4, 1).flatten(0, 1)
