"""What tiny pipelines need beside their denoiser: autoencoders as data, pictures, and stand-ins."""

from __future__ import annotations

import numpy as np
import PIL.Image
import torch
from diffusers import ConfigMixin, ModelMixin
from diffusers.configuration_utils import register_to_config
from diffusers.pipelines.ltx2 import LTX2TextConnectors
from tests.tiny.common import component
from transformers import (
    CLIPImageProcessor,
    CLIPTextConfig,
    CLIPTextModelWithProjection,
    CLIPVisionConfig,
    CLIPVisionModel,
)

SIDE = {"height": 64, "width": 64}
KL_BLOCKS = {"down_block_types": ("DownEncoderBlock2D",) * 4, "up_block_types": ("UpDecoderBlock2D",) * 4}
KL = ("AutoencoderKL", {**KL_BLOCKS, "block_out_channels": (8,) * 4, "latent_channels": 4, "norm_num_groups": 4})
KL_SHIFTED = ("AutoencoderKL", {**KL[1], "shift_factor": 0.1})
KL_FLUX2 = ("AutoencoderKLFlux2", KL[1])
WAN_VAE = (
    "AutoencoderKLWan",
    {
        "base_dim": 4,
        "z_dim": 4,
        "dim_mult": [1, 1, 1, 1],
        "num_res_blocks": 1,
        "latents_mean": [0.0] * 4,
        "latents_std": [1.0] * 4,
    },
)
QWEN_VAE = ("AutoencoderKLQwenImage", WAN_VAE[1])
MAGVIT = (
    "AutoencoderKLMagvit",
    {
        "down_block_types": ("SpatialDownBlock3D",) + ("SpatialTemporalDownBlock3D",) * 3,
        "up_block_types": ("SpatialUpBlock3D",) + ("SpatialTemporalUpBlock3D",) * 3,
        "block_out_channels": (8,) * 4,
        "latent_channels": 4,
        "layers_per_block": 1,
        "norm_num_groups": 2,
        "spatial_group_norm": False,
    },
)
HUNYUAN15_VAE = (
    "AutoencoderKLHunyuanVideo15",
    {"latent_channels": 4, "block_out_channels": (16,) * 5, "layers_per_block": 1},
)
COGVIDEOX_VAE = (
    "AutoencoderKLCogVideoX",
    {
        "block_out_channels": (8,) * 4,
        "latent_channels": 4,
        "layers_per_block": 1,
        "norm_num_groups": 2,
        "sample_height": 64,
        "sample_width": 64,
    },
)
LTX_VAE = (
    "AutoencoderKLLTXVideo",
    {
        "latent_channels": 8,
        "block_out_channels": (8,) * 4,
        "decoder_block_out_channels": (8,) * 4,
        "layers_per_block": (1,) * 5,
        "decoder_layers_per_block": (1,) * 5,
    },
)

LTX2_VAE = (
    "AutoencoderKLLTX2Video",
    {
        "latent_channels": 4,
        "block_out_channels": (8,),
        "decoder_block_out_channels": (8,),
        "layers_per_block": (1,),
        "decoder_layers_per_block": (1, 1),
        "spatio_temporal_scaling": (True,),
        "decoder_spatio_temporal_scaling": (True,),
        "decoder_inject_noise": (False, False),
        "downsample_type": ("spatial",),
        "upsample_type": ("spatiotemporal",),
        "upsample_residual": (False,),
        "upsample_factor": (1,),
        "spatial_compression_ratio": 32,
        "temporal_compression_ratio": 8,
        "down_block_types": ("LTX2VideoDownBlock3D",),
    },
)
LTX2_AUDIO = (
    "AutoencoderKLLTX2Audio",
    {"base_channels": 4, "ch_mult": (1,), "num_res_blocks": 1, "resolution": 32, "latent_channels": 2, "mel_bins": 8},
)
VISION = CLIPVisionConfig(
    hidden_size=16, intermediate_size=16, num_hidden_layers=2, num_attention_heads=2, image_size=16, patch_size=8
)


def ltx2_connectors() -> LTX2TextConnectors:
    """What stands between LTX2's text encoder and its transformer."""
    sizes = {"caption_channels": 16, "text_proj_in_factor": 2, "rope_double_precision": False}
    heads = {"num_attention_heads": 2, "attention_head_dim": 8, "num_layers": 1, "num_learnable_registers": 4}
    both = {f"{which}_connector_{name}": value for which in ("video", "audio") for name, value in heads.items()}
    return component(lambda: LTX2TextConnectors(**sizes, **both), seed=9)


def image_encoder() -> CLIPVisionModel:
    """A tiny CLIP."""
    return component(lambda: CLIPVisionModel(VISION), seed=8)


def image_processor() -> CLIPImageProcessor:
    """Pixels for that CLIP."""
    return CLIPImageProcessor(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})


def clip_text() -> CLIPTextModelWithProjection:
    """A tiny CLIP for text, for pipelines that ask it for its dtype."""
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = CLIPTextConfig(**sizes, projection_dim=8, vocab_size=10)
    return component(lambda: CLIPTextModelWithProjection(config), seed=7)


def picture(seed: int = 0) -> PIL.Image.Image:
    """Noise of 64 by 64 pixels."""
    pixels = np.random.default_rng(seed).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    return PIL.Image.fromarray(pixels)


def video(frames: int = 9) -> list[PIL.Image.Image]:
    """As many pictures, each another."""
    return [picture(seed) for seed in range(frames)]


class NothingUnsafe(ModelMixin, ConfigMixin):
    """Stands in for Cosmos' safety checker, whose package is not needed to test a cache."""

    config_name = "config.json"

    @register_to_config
    def __init__(self) -> None:
        super().__init__()
        self.anchor = torch.nn.Parameter(torch.zeros(1))  # so that it has a dtype

    def check_text_safety(self, prompt: str) -> bool:
        return True

    def check_video_safety(self, video: np.ndarray) -> np.ndarray:
        return video
