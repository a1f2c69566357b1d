"""HunyuanVideo: guidance is an input of the transformer; true classifier-free guidance is a second call on top."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import DiffusionPipeline, HunyuanVideoPipeline, HunyuanVideoTransformer3DModel

from .common import both, component, embed, flow_scheduler, mask, ready, tiny

TOKENS, TEXT_DIM, POOLED_DIM = 10, 16, 8
SIZES: dict[str, Any] = {
    "in_channels": 4,
    "out_channels": 4,
    "num_attention_heads": 2,
    "attention_head_dim": 12,
    "num_layers": 1,
    "num_single_layers": 1,
    "num_refiner_layers": 1,
    "mlp_ratio": 2.0,
    "text_embed_dim": TEXT_DIM,
    "pooled_projection_dim": POOLED_DIM,
    "rope_axes_dim": (4, 4, 4),
}


def build(*, dtype: torch.dtype = torch.float32, seed: int = 0, layers: int = 1) -> HunyuanVideoPipeline:
    """`layers` double-stream blocks and as many single-stream blocks."""
    config = {**SIZES, "num_layers": layers, "num_single_layers": layers}
    return ready(
        HunyuanVideoPipeline(
            text_encoder=None,
            tokenizer=None,
            transformer=component(lambda: HunyuanVideoTransformer3DModel(**config), seed=seed, dtype=dtype),
            vae=None,
            scheduler=flow_scheduler(shift=7.0),
            text_encoder_2=None,
            tokenizer_2=None,
        )
    )


def _inputs(pipe: DiffusionPipeline, prompts: list[str], guidance: bool) -> dict[str, Any]:
    return {
        "height": 48,
        "width": 64,
        "num_frames": 9,
        "guidance_scale": 6.0,
        "true_cfg_scale": 3.0 if guidance else 1.0,
        **both("prompt_embeds", guidance, lambda texts: embed(pipe, texts, TOKENS, TEXT_DIM), prompts),
        **both("pooled_prompt_embeds", guidance, lambda texts: embed(pipe, texts, POOLED_DIM, part="pooled"), prompts),
        **both("prompt_attention_mask", guidance, lambda texts: mask(pipe, texts, TOKENS), prompts),
    }


HUNYUAN = tiny("hunyuan", build, _inputs)
