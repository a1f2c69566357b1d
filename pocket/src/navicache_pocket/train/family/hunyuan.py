"""HunyuanVideo in small: velocity, and guidance that is told to the model in place of a second call."""

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
from navicache_pocket.train.family import plain, template
from navicache_pocket.train.family.noise import Flow, Process
from navicache_pocket.train.family.recipe import Config, Pictures
from navicache_pocket.train.folder import save
from navicache_pocket.world import vocabulary
from navicache_pocket.world.captions import LONGEST

SKIPPED = 2  # layers of the text encoder that the pipeline leaves out, so that they are never trained
AUTOENCODER: Config = {
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
TRANSFORMER: Config = {
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
LLAMA: Config = {
    "hidden_size": 128,
    "intermediate_size": 128,
    "num_hidden_layers": 2 + SKIPPED,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 3,
}
CLIP: Config = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "max_position_embeddings": 77,
    "pad_token_id": 0,
    "bos_token_id": 2,
    "eos_token_id": 1,
}
SCHEDULER: Config = {"shift": 3.0}


class HunyuanDenoiser(nn.Module):
    """The transformer and its two text encoders."""

    empty: torch.Tensor

    def __init__(self, recipe: "Hunyuan") -> None:
        """With fresh weights."""
        super().__init__()
        known = len(vocabulary())
        self.text_encoder = LlamaModel(LlamaConfig(vocab_size=len(template.SPECIAL) + known, **recipe.llama))
        self.text_encoder_2 = CLIPTextModel(CLIPTextConfig(vocab_size=3 + known, **recipe.clip))
        self.transformer = HunyuanVideoTransformer3DModel(**recipe.transformer)
        self.register_buffer("empty", recipe.tokens([""]), persistent=False)

    def forward(
        self, noisy: torch.Tensor, time: torch.Tensor, ids: torch.Tensor, dropped: torch.Tensor, guidance: torch.Tensor
    ) -> torch.Tensor:
        """The velocity; text is cut after the longest caption, for what the pipeline pads with is masked."""
        ids = torch.where(dropped[:, None], self.empty, ids)
        long, short = ids[:, :-LONGEST], ids[:, -LONGEST:]
        there = (long != 0).long()
        states = self.text_encoder(input_ids=long, attention_mask=there, output_hidden_states=True).hidden_states
        return self.transformer(
            hidden_states=noisy,
            timestep=time,
            encoder_hidden_states=states[-(SKIPPED + 1)][:, template.CROPPED :],
            encoder_attention_mask=there[:, template.CROPPED :].to(noisy.dtype),
            pooled_projections=self.text_encoder_2(short).pooler_output,
            guidance=guidance * 1000,
            return_dict=False,
        )[0]


@dataclass(frozen=True)
class Hunyuan(plain.Plain):
    """The recipe; other configurations make a smaller one."""

    name: str = "hunyuan"
    pictures: Pictures = Pictures(9, 64)
    distilled: bool = True
    noise: Process = Flow(shift=2.0)  # more low noise than a sampler with shift 3 meets: outlines become crisp there
    vae: Config = field(default_factory=lambda: AUTOENCODER)
    transformer: Config = field(default_factory=lambda: TRANSFORMER)
    llama: Config = field(default_factory=lambda: LLAMA)
    clip: Config = field(default_factory=lambda: CLIP)

    def autoencoder(self) -> nn.Module:
        """Four by four by four pixels to one latent."""
        vae = AutoencoderKLHunyuanVideo(**self.vae)
        plain.hush(vae.quant_conv)
        return vae

    def denoiser(self) -> HunyuanDenoiser:
        """With fresh weights."""
        return HunyuanDenoiser(self)

    def tokens(self, captions: Sequence[str]) -> torch.Tensor:
        """Llama's tokens, the template's included, then CLIP's."""
        llama, clip = template.build(vocabulary()), words.build(vocabulary(), 77)
        long = words.encode(llama, template.filled(captions), template.CROPPED + LONGEST)
        return torch.cat([long, words.encode(clip, captions, LONGEST)], 1)

    def pack(self, vae: Any, denoiser: HunyuanDenoiser, folder: Path) -> None:
        """With the sampler's shift."""
        parts: dict[str, Any] = {
            "tokenizer": template.build(vocabulary()),
            "tokenizer_2": words.build(vocabulary(), 77),
            "text_encoder": denoiser.text_encoder,
            "text_encoder_2": denoiser.text_encoder_2,
            "vae": vae,
            "transformer": denoiser.transformer,
            "scheduler": FlowMatchEulerDiscreteScheduler(**SCHEDULER),
        }
        save(HunyuanVideoPipeline(**parts), folder)
