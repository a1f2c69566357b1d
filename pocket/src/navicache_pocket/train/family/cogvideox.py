"""CogVideoX in small: v-prediction, variance-preserving, its guidance batched in one call."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from diffusers import (
    AutoencoderKLCogVideoX,
    CogVideoXDDIMScheduler,
    CogVideoXPipeline,
    CogVideoXTransformer3DModel,
)
from torch import nn
from transformers import T5Config, T5EncoderModel

from navicache_pocket.train import tokenizer as words
from navicache_pocket.train.family import diffusers_vae
from navicache_pocket.train.family.noise import NoiseProcess, VariancePreservingNoise
from navicache_pocket.train.family.recipe import ModelConfig, VideoFormat
from navicache_pocket.train.pipeline_folder import save_pipeline
from navicache_pocket.world import list_vocabulary

TEXT_LENGTH = 226  # the pipeline pads to it and masks nothing, so that the padding is read too
AUTOENCODER: ModelConfig = {
    "latent_channels": 8,
    "down_block_types": ("CogVideoXDownBlock3D",) * 3,
    "up_block_types": ("CogVideoXUpBlock3D",) * 3,
    "block_out_channels": (24, 40, 48),
    "layers_per_block": 1,
    "norm_num_groups": 8,
    "temporal_compression_ratio": 4,
    "sample_height": 64,
    "sample_width": 64,
    "scaling_factor": 1.0,
}
TRANSFORMER: ModelConfig = {
    "in_channels": 8,
    "out_channels": 8,
    "num_attention_heads": 4,
    "attention_head_dim": 48,
    "time_embed_dim": 160,
    "text_embed_dim": 128,
    "num_layers": 6,
    "sample_width": 16,
    "sample_height": 16,
    "sample_frames": 9,
    "max_text_seq_length": TEXT_LENGTH,
    "spatial_interpolation_scale": 1.0,
}
TEXT_ENCODER: ModelConfig = {
    "d_model": 128,
    "d_kv": 32,
    "d_ff": 256,
    "num_layers": 2,
    "num_heads": 4,
    "feed_forward_proj": "gated-gelu",
    "dropout_rate": 0.0,
}
SCHEDULER: ModelConfig = {
    "beta_start": 0.00085,
    "beta_end": 0.012,
    "beta_schedule": "scaled_linear",
    "prediction_type": "v_prediction",
    "rescale_betas_zero_snr": True,
    "snr_shift_scale": 3.0,
    "timestep_spacing": "trailing",
    "set_alpha_to_one": True,
    "clip_sample": False,
}


class CogVideoXDenoiser(nn.Module):
    """The transformer and its text encoder."""

    empty_prompt_ids: torch.Tensor

    def __init__(self, recipe: "CogVideoXRecipe") -> None:
        """With random weights."""
        super().__init__()
        self.text_encoder = T5EncoderModel(T5Config(vocab_size=3 + len(list_vocabulary()), **recipe.text))
        self.transformer = CogVideoXTransformer3DModel(**recipe.transformer)
        self.register_buffer("empty_prompt_ids", recipe.tokenize([""]), persistent=False)

    def forward(
        self,
        noisy: torch.Tensor,
        timestep: torch.Tensor,
        token_ids: torch.Tensor,
        is_dropped: torch.Tensor,
        guidance: torch.Tensor,
    ) -> torch.Tensor:
        """The velocity; guidance is not an input of this model."""
        del guidance
        text = self.text_encoder(torch.where(is_dropped[:, None], self.empty_prompt_ids, token_ids))[0]
        return self.transformer(noisy.transpose(1, 2), text, timestep, return_dict=False)[0].transpose(1, 2)


@dataclass(frozen=True)
class CogVideoXRecipe(diffusers_vae.DiffusersAutoencoderMixin):
    """The recipe; tests pass smaller configurations."""

    name: str = "cogvideox"
    video_format: VideoFormat = VideoFormat(9, 64)
    is_distilled: bool = False
    noise_process: NoiseProcess = VariancePreservingNoise(
        CogVideoXDDIMScheduler(**SCHEDULER).alphas_cumprod, predicts_velocity=True
    )
    vae: ModelConfig = field(default_factory=lambda: AUTOENCODER)
    transformer: ModelConfig = field(default_factory=lambda: TRANSFORMER)
    text: ModelConfig = field(default_factory=lambda: TEXT_ENCODER)

    def make_autoencoder(self) -> nn.Module:
        """Four by four by four pixels to one latent."""
        vae: Any = AutoencoderKLCogVideoX(**self.vae)
        diffusers_vae.narrow_posterior(vae.encoder.conv_out.conv)
        return vae

    def make_denoiser(self) -> CogVideoXDenoiser:
        """With random weights."""
        return CogVideoXDenoiser(self)

    def tokenize(self, captions: Sequence[str]) -> torch.Tensor:
        """Token ids, padded as the pipeline pads them."""
        return words.encode_captions(words.build_tokenizer(list_vocabulary()), captions, TEXT_LENGTH)

    def save_pipeline(self, vae: Any, denoiser: CogVideoXDenoiser, folder: Path) -> None:
        """With DDIM; CogVideoXDPMScheduler takes the same configuration."""
        parts: dict[str, Any] = {
            "tokenizer": words.build_tokenizer(list_vocabulary()),
            "text_encoder": denoiser.text_encoder,
            "vae": vae,
            "transformer": denoiser.transformer,
            "scheduler": CogVideoXDDIMScheduler(**SCHEDULER),
        }
        save_pipeline(CogVideoXPipeline(**parts), folder)
