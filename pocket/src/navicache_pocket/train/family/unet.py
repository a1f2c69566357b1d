"""Stable Diffusion in small: images, noise prediction, a U-Net, its guidance batched in one call."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from diffusers import AutoencoderKL, DDIMScheduler, StableDiffusionPipeline, UNet2DConditionModel
from torch import nn
from transformers import CLIPTextConfig, CLIPTextModel

from navicache_pocket.train import tokenizer as words
from navicache_pocket.train.family import diffusers_vae
from navicache_pocket.train.family.noise import NoiseProcess, VariancePreservingNoise
from navicache_pocket.train.family.recipe import EncodedVideos, ModelConfig, VideoFormat
from navicache_pocket.train.pipeline_folder import save_pipeline
from navicache_pocket.world import list_vocabulary
from navicache_pocket.world.captions import MAX_CAPTION_TOKENS

AUTOENCODER: ModelConfig = {
    "latent_channels": 4,
    "down_block_types": ("DownEncoderBlock2D",) * 3,
    "up_block_types": ("UpDecoderBlock2D",) * 3,
    "block_out_channels": (32, 48, 80),
    "layers_per_block": 1,
    "norm_num_groups": 8,
    "sample_size": 64,
    "mid_block_add_attention": False,
    "scaling_factor": 1.0,
}
UNET: ModelConfig = {
    "sample_size": 16,
    "in_channels": 4,
    "out_channels": 4,
    "down_block_types": ("CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
    "block_out_channels": (96, 128),
    "layers_per_block": 1,
    "norm_num_groups": 16,
    "cross_attention_dim": 128,
    "attention_head_dim": 4,
}
TEXT_ENCODER: ModelConfig = {
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": MAX_CAPTION_TOKENS,
    "pad_token_id": 0,
    "bos_token_id": 2,
    "eos_token_id": 1,
}
SCHEDULER: ModelConfig = {
    "beta_start": 0.00085,
    "beta_end": 0.012,
    "beta_schedule": "scaled_linear",
    "prediction_type": "epsilon",
    "clip_sample": False,
    "set_alpha_to_one": False,
    "steps_offset": 1,
}


class UNetDenoiser(nn.Module):
    """The U-Net and its text encoder."""

    empty_prompt_ids: torch.Tensor

    def __init__(self, recipe: "UNetRecipe") -> None:
        """With random weights."""
        super().__init__()
        self.text_encoder = CLIPTextModel(CLIPTextConfig(vocab_size=3 + len(list_vocabulary()), **recipe.text))
        self.unet = UNet2DConditionModel(**recipe.unet)
        self.register_buffer("empty_prompt_ids", recipe.tokenize([""]), persistent=False)

    def forward(
        self,
        noisy: torch.Tensor,
        timestep: torch.Tensor,
        token_ids: torch.Tensor,
        is_dropped: torch.Tensor,
        guidance: torch.Tensor,
    ) -> torch.Tensor:
        """The noise; guidance is not an input of this model."""
        del guidance
        text = self.text_encoder(torch.where(is_dropped[:, None], self.empty_prompt_ids, token_ids))[0]
        return self.unet(noisy, timestep, encoder_hidden_states=text, return_dict=False)[0]


@dataclass(frozen=True)
class UNetRecipe(diffusers_vae.DiffusersAutoencoderMixin):
    """The recipe; tests pass smaller configurations."""

    name: str = "unet"
    video_format: VideoFormat = VideoFormat(1, 64)
    is_distilled: bool = False
    noise_process: NoiseProcess = VariancePreservingNoise(
        DDIMScheduler(**SCHEDULER).alphas_cumprod, predicts_velocity=False
    )
    vae: ModelConfig = field(default_factory=lambda: AUTOENCODER)
    unet: ModelConfig = field(default_factory=lambda: UNET)
    text: ModelConfig = field(default_factory=lambda: TEXT_ENCODER)

    def make_autoencoder(self) -> nn.Module:
        """Four by four pixels to one latent."""
        vae: Any = AutoencoderKL(**self.vae)
        diffusers_vae.narrow_posterior(vae.quant_conv)
        return vae

    def encode(self, vae: Any, video: torch.Tensor) -> EncodedVideos:
        """Of the only frame."""
        return super().encode(vae, video.squeeze(2))

    def decode(self, vae: Any, latents: torch.Tensor) -> torch.Tensor:
        """Back to a video of one frame."""
        return super().decode(vae, latents).unsqueeze(2)

    def make_denoiser(self) -> UNetDenoiser:
        """With random weights."""
        return UNetDenoiser(self)

    def tokenize(self, captions: Sequence[str]) -> torch.Tensor:
        """The pipeline pads to what the tokenizer says is longest."""
        return words.encode_captions(
            words.build_tokenizer(list_vocabulary(), MAX_CAPTION_TOKENS), captions, MAX_CAPTION_TOKENS
        )

    def save_pipeline(self, vae: Any, denoiser: UNetDenoiser, folder: Path) -> None:
        """With DDIM; DPM++ and Euler take the same configuration."""
        parts: dict[str, Any] = {
            "tokenizer": words.build_tokenizer(list_vocabulary(), MAX_CAPTION_TOKENS),
            "text_encoder": denoiser.text_encoder,
            "vae": vae,
            "unet": denoiser.unet,
            "scheduler": DDIMScheduler(**SCHEDULER),
            "safety_checker": None,
            "feature_extractor": None,
            "requires_safety_checker": False,
        }
        save_pipeline(StableDiffusionPipeline(**parts), folder)
