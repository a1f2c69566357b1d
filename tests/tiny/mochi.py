"""Mochi: inverted sigmas, so the timesteps rise from 0 to 1000; both guidance branches in one call."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import DiffusionPipeline, MochiPipeline, MochiTransformer3DModel

from .common import both, component, embed, flow_scheduler, mask, ready, tiny

TOKENS, TEXT_DIM = 10, 16


def build(*, dtype: torch.dtype = torch.float32, seed: int = 0, layers: int = 2) -> MochiPipeline:
    """The last block drops its text stream, so two layers are the least that use both kinds."""
    config = {
        "num_attention_heads": 2,
        "attention_head_dim": 12,
        "num_layers": layers,
        "pooled_projection_dim": 16,
        "in_channels": 4,
        "text_embed_dim": TEXT_DIM,
        "time_embed_dim": 32,
        "max_sequence_length": TOKENS,
    }
    return ready(
        MochiPipeline(
            scheduler=flow_scheduler(shift=1.0, invert_sigmas=True),
            vae=None,
            text_encoder=None,
            tokenizer=None,
            transformer=component(lambda: MochiTransformer3DModel(**config), seed=seed, dtype=dtype),
        )
    )


def _inputs(pipe: DiffusionPipeline, prompts: list[str], guidance: bool) -> dict[str, Any]:
    return {
        "height": 48,
        "width": 64,
        "num_frames": 13,
        "guidance_scale": 4.5 if guidance else 1.0,
        **both("prompt_embeds", guidance, lambda texts: embed(pipe, texts, TOKENS, TEXT_DIM), prompts),
        **both("prompt_attention_mask", guidance, lambda texts: mask(pipe, texts, TOKENS), prompts),
    }


MOCHI = tiny("mochi", build, _inputs)
