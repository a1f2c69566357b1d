"""LTX-Video: packed latents (batch, tokens, channels), both guidance branches in one transformer call."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import DiffusionPipeline, LTXPipeline, LTXVideoTransformer3DModel

from .common import both, component, embed, flow_scheduler, mask, ready, tiny

TOKENS, TEXT_DIM = 10, 16


def build(*, dtype: torch.dtype = torch.float32, seed: int = 0, layers: int = 2) -> LTXPipeline:
    """The scheduler shifts by sequence length and stretches to a terminal sigma, as the released one does."""
    config = {
        "in_channels": 8,
        "out_channels": 8,
        "num_attention_heads": 2,
        "attention_head_dim": 12,
        "cross_attention_dim": 24,
        "num_layers": layers,
        "caption_channels": TEXT_DIM,
    }
    shifting = {"use_dynamic_shifting": True, "base_shift": 0.95, "max_shift": 2.05, "shift_terminal": 0.1}
    return ready(
        LTXPipeline(
            scheduler=flow_scheduler(shift=1.0, base_image_seq_len=1024, max_image_seq_len=4096, **shifting),
            vae=None,
            text_encoder=None,
            tokenizer=None,
            transformer=component(lambda: LTXVideoTransformer3DModel(**config), seed=seed, dtype=dtype),
        )
    )


def _inputs(pipe: DiffusionPipeline, prompts: list[str], guidance: bool) -> dict[str, Any]:
    return {
        "height": 96,
        "width": 128,
        "num_frames": 17,
        "guidance_scale": 3.0 if guidance else 1.0,
        **both("prompt_embeds", guidance, lambda texts: embed(pipe, texts, TOKENS, TEXT_DIM), prompts),
        **both("prompt_attention_mask", guidance, lambda texts: mask(pipe, texts, TOKENS), prompts),
    }


LTX = tiny("ltx", build, _inputs)
