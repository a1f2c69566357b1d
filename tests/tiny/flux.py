"""Flux: packed image latents, timestep in [0, 1]; true classifier-free guidance is a second call."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import DiffusionPipeline, FluxPipeline, FluxTransformer2DModel

from .common import both, component, embed, flow_scheduler, ready, tiny

TOKENS, TEXT_DIM, POOLED_DIM = 10, 16, 8


def build(
    *, dtype: torch.dtype = torch.float32, seed: int = 0, layers: int = 1, guidance_embeds: bool = True
) -> FluxPipeline:
    """`guidance_embeds=True` is Flux dev, False is schnell."""
    config = {
        "in_channels": 16,
        "num_layers": layers,
        "num_single_layers": layers,
        "attention_head_dim": 16,
        "num_attention_heads": 2,
        "joint_attention_dim": TEXT_DIM,
        "pooled_projection_dim": POOLED_DIM,
        "guidance_embeds": guidance_embeds,
        "axes_dims_rope": (4, 6, 6),
    }
    return ready(
        FluxPipeline(
            scheduler=flow_scheduler(use_dynamic_shifting=True),
            vae=None,
            text_encoder=None,
            tokenizer=None,
            text_encoder_2=None,
            tokenizer_2=None,
            transformer=component(lambda: FluxTransformer2DModel(**config), seed=seed, dtype=dtype),
        )
    )


def _inputs(pipe: DiffusionPipeline, prompts: list[str], guidance: bool) -> dict[str, Any]:
    return {
        "height": 96,
        "width": 128,
        "guidance_scale": 3.5,
        "true_cfg_scale": 3.0 if guidance else 1.0,
        **both("prompt_embeds", guidance, lambda texts: embed(pipe, texts, TOKENS, TEXT_DIM), prompts),
        **both("pooled_prompt_embeds", guidance, lambda texts: embed(pipe, texts, POOLED_DIM, part="pooled"), prompts),
    }


FLUX = tiny("flux", build, _inputs)
