"""HunyuanVideo in small: velocity, and embedded guidance in place of a second call."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from diffusers import (
    AutoencoderKLHunyuanVideo,
    FlowMatchEulerDiscreteScheduler,
    HunyuanVideoPipeline,
    HunyuanVideoTransformer3DModel,
)
from torch import nn
from transformers import CLIPTextConfig, CLIPTextModel, LlamaConfig, LlamaModel

from navicache_pocket.train import tokenizer as words
from navicache_pocket.train.family import diffusers_vae, llama_tokenizer
from navicache_pocket.train.family.noise import FlowNoise, NoiseProcess
from navicache_pocket.train.family.recipe import ModelConfig, VideoFormat
from navicache_pocket.train.pipeline_folder import save_pipeline
from navicache_pocket.world import list_vocabulary
from navicache_pocket.world.captions import MAX_CAPTION_TOKENS

SKIPPED_LAYERS = 2  # layers of the text encoder that the pipeline leaves out, so that they are never trained
AUTOENCODER: ModelConfig = {
    "latent_channels": 8,
    "down_block_types": ("HunyuanVideoDownBlock3D",) * 3,
    "up_block_types": ("HunyuanVideoUpBlock3D",) * 3,
    "block_out_channels": (24, 40, 48),
    "layers_per_block": 1,
    "norm_num_groups": 8,
    "spatial_compression_ratio": 4,
    "temporal_compression_ratio": 4,
    "mid_block_add_attention": False,
    "scaling_factor": 1.0,
}
TRANSFORMER: ModelConfig = {
    "in_channels": 8,
    "out_channels": 8,
    "num_attention_heads": 4,
    "attention_head_dim": 48,
    "num_layers": 2,
    "num_single_layers": 3,
    "num_refiner_layers": 1,
    "mlp_ratio": 3.0,
    "text_embed_dim": 128,
    "pooled_projection_dim": 64,
    "rope_axes_dim": (16, 16, 16),
}
LLAMA: ModelConfig = {
    "hidden_size": 128,
    "intermediate_size": 128,
    "num_hidden_layers": 2 + SKIPPED_LAYERS,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 3,
}
CLIP: ModelConfig = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "max_position_embeddings": 77,
    "pad_token_id": 0,
    "bos_token_id": 2,
    "eos_token_id": 1,
}
SCHEDULER: ModelConfig = {"shift": 3.0}


class HunyuanDenoiser(nn.Module):
    """The transformer and its two text encoders."""

    empty_prompt_ids: torch.Tensor

    def __init__(self, recipe: "HunyuanRecipe") -> None:
        """With random weights."""
        super().__init__()
        known = len(list_vocabulary())
        self.text_encoder = LlamaModel(
            LlamaConfig(vocab_size=len(llama_tokenizer.SPECIAL_TOKENS) + known, **recipe.llama)
        )
        self.text_encoder_2 = CLIPTextModel(CLIPTextConfig(vocab_size=3 + known, **recipe.clip))
        self.transformer = HunyuanVideoTransformer3DModel(**recipe.transformer)
        self.register_buffer("empty_prompt_ids", recipe.tokenize([""]), persistent=False)

    def forward(
        self,
        noisy: torch.Tensor,
        timestep: torch.Tensor,
        token_ids: torch.Tensor,
        is_dropped: torch.Tensor,
        guidance: torch.Tensor,
    ) -> torch.Tensor:
        """The velocity; text is cut after the longest caption, for what the pipeline pads with is masked."""
        token_ids = torch.where(is_dropped[:, None], self.empty_prompt_ids, token_ids)
        long, short = token_ids[:, :-MAX_CAPTION_TOKENS], token_ids[:, -MAX_CAPTION_TOKENS:]
        there = (long != 0).long()
        states = self.text_encoder(input_ids=long, attention_mask=there, output_hidden_states=True).hidden_states
        return self.transformer(
            hidden_states=noisy,
            timestep=timestep,
            encoder_hidden_states=states[-(SKIPPED_LAYERS + 1)][:, llama_tokenizer.CROPPED_TOKENS :],
            encoder_attention_mask=there[:, llama_tokenizer.CROPPED_TOKENS :].to(noisy.dtype),
            pooled_projections=self.text_encoder_2(short).pooler_output,
            guidance=guidance * 1000,
            return_dict=False,
        )[0]


@dataclass(frozen=True)
class HunyuanRecipe(diffusers_vae.DiffusersAutoencoderMixin):
    """The recipe; tests pass smaller configurations."""

    name: str = "hunyuan"
    video_format: VideoFormat = VideoFormat(9, 64)
    is_distilled: bool = True
    noise_process: NoiseProcess = FlowNoise(
        shift=2.0
    )  # more low noise than a sampler with shift 3 meets: outlines become crisp there
    vae: ModelConfig = field(default_factory=lambda: AUTOENCODER)
    transformer: ModelConfig = field(default_factory=lambda: TRANSFORMER)
    llama: ModelConfig = field(default_factory=lambda: LLAMA)
    clip: ModelConfig = field(default_factory=lambda: CLIP)

    def make_autoencoder(self) -> nn.Module:
        """Four by four by four pixels to one latent."""
        vae = AutoencoderKLHunyuanVideo(**self.vae)
        diffusers_vae.narrow_posterior(vae.quant_conv)
        return vae

    def make_denoiser(self) -> HunyuanDenoiser:
        """With random weights."""
        return HunyuanDenoiser(self)

    def tokenize(self, captions: Sequence[str]) -> torch.Tensor:
        """Llama's tokens, the template's included, then CLIP's."""
        llama, clip = (
            llama_tokenizer.build_llama_tokenizer(list_vocabulary()),
            words.build_tokenizer(list_vocabulary(), 77),
        )
        long = words.encode_captions(
            llama, llama_tokenizer.fill_template(captions), llama_tokenizer.CROPPED_TOKENS + MAX_CAPTION_TOKENS
        )
        return torch.cat([long, words.encode_captions(clip, captions, MAX_CAPTION_TOKENS)], 1)

    def save_pipeline(self, vae: Any, denoiser: HunyuanDenoiser, folder: Path) -> None:
        """With the sampler's shift."""
        parts: dict[str, Any] = {
            "tokenizer": llama_tokenizer.build_llama_tokenizer(list_vocabulary()),
            "tokenizer_2": words.build_tokenizer(list_vocabulary(), 77),
            "text_encoder": denoiser.text_encoder,
            "text_encoder_2": denoiser.text_encoder_2,
            "vae": vae,
            "transformer": denoiser.transformer,
            "scheduler": FlowMatchEulerDiscreteScheduler(**SCHEDULER),
        }
        save_pipeline(HunyuanVideoPipeline(**parts), folder)
