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
from navicache_pocket.train.family import plain
from navicache_pocket.train.family.noise import Preserving, Process
from navicache_pocket.train.family.recipe import Config, Pictures
from navicache_pocket.train.folder import save
from navicache_pocket.world import vocabulary

TEXT_LENGTH = 226  # the pipeline pads to it and masks nothing, so that the padding is read too
AUTOENCODER: Config = {
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
TRANSFORMER: Config = {
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
TEXT: Config = {
    "d_model": 128,
    "d_kv": 32,
    "d_ff": 256,
    "num_layers": 2,
    "num_heads": 4,
    "feed_forward_proj": "gated-gelu",
    "dropout_rate": 0.0,
}
SCHEDULER: Config = {
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

    empty: torch.Tensor

    def __init__(self, recipe: "CogVideoX") -> None:
        """With fresh weights."""
        super().__init__()
        self.text_encoder = T5EncoderModel(T5Config(vocab_size=3 + len(vocabulary()), **recipe.text))
        self.transformer = CogVideoXTransformer3DModel(**recipe.transformer)
        self.register_buffer("empty", recipe.tokens([""]), persistent=False)

    def forward(
        self, noisy: torch.Tensor, time: torch.Tensor, ids: torch.Tensor, dropped: torch.Tensor, guidance: torch.Tensor
    ) -> torch.Tensor:
        """The velocity; guidance is not told to this model."""
        del guidance
        text = self.text_encoder(torch.where(dropped[:, None], self.empty, ids))[0]
        return self.transformer(noisy.transpose(1, 2), text, time, return_dict=False)[0].transpose(1, 2)


@dataclass(frozen=True)
class CogVideoX(plain.Plain):
    """The recipe; other configurations make a smaller one."""

    name: str = "cogvideox"
    pictures: Pictures = Pictures(9, 64)
    distilled: bool = False
    noise: Process = Preserving(CogVideoXDDIMScheduler(**SCHEDULER).alphas_cumprod, velocity=True)
    vae: Config = field(default_factory=lambda: AUTOENCODER)
    transformer: Config = field(default_factory=lambda: TRANSFORMER)
    text: Config = field(default_factory=lambda: TEXT)

    def autoencoder(self) -> nn.Module:
        """Four by four by four pixels to one latent."""
        vae: Any = AutoencoderKLCogVideoX(**self.vae)
        plain.hush(vae.encoder.conv_out.conv)
        return vae

    def denoiser(self) -> CogVideoXDenoiser:
        """With fresh weights."""
        return CogVideoXDenoiser(self)

    def tokens(self, captions: Sequence[str]) -> torch.Tensor:
        """Padded as the pipeline pads."""
        return words.encode(words.build(vocabulary()), captions, TEXT_LENGTH)

    def pack(self, vae: Any, denoiser: CogVideoXDenoiser, folder: Path) -> None:
        """With DDIM; CogVideoXDPMScheduler takes the same configuration."""
        parts: dict[str, Any] = {
            "tokenizer": words.build(vocabulary()),
            "text_encoder": denoiser.text_encoder,
            "vae": vae,
            "transformer": denoiser.transformer,
            "scheduler": CogVideoXDDIMScheduler(**SCHEDULER),
        }
        save(CogVideoXPipeline(**parts), folder)
