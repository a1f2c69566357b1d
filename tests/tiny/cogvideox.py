"""CogVideoX: v-prediction on a DDPM noise schedule, integer timesteps, frames before channels."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import (
    CogVideoXDDIMScheduler,
    CogVideoXDPMScheduler,
    CogVideoXPipeline,
    CogVideoXTransformer3DModel,
    DiffusionPipeline,
)

from .common import both, component, embed, ready, tiny

TOKENS, TEXT_DIM = 32, 16
SCHEDULERS = {"ddim": CogVideoXDDIMScheduler, "dpm": CogVideoXDPMScheduler}


def build(
    *, scheduler: str = "ddim", dtype: torch.dtype = torch.float32, seed: int = 0, layers: int = 2
) -> CogVideoXPipeline:
    """Rotary positions as in the 5B model; `scheduler="dpm"` adds noise at every step."""
    config = {
        "num_attention_heads": 2,
        "attention_head_dim": 16,
        "in_channels": 4,
        "out_channels": 4,
        "time_embed_dim": 16,
        "text_embed_dim": TEXT_DIM,
        "num_layers": layers,
        "sample_width": 8,
        "sample_height": 8,
        "sample_frames": 9,
        "max_text_seq_length": TOKENS,
        "use_rotary_positional_embeddings": True,
    }
    noise = {"prediction_type": "v_prediction", "rescale_betas_zero_snr": True, "timestep_spacing": "trailing"}
    return ready(
        CogVideoXPipeline(
            tokenizer=None,
            text_encoder=None,
            vae=None,
            transformer=component(lambda: CogVideoXTransformer3DModel(**config), seed=seed, dtype=dtype),
            scheduler=SCHEDULERS[scheduler](**noise, clip_sample=False, snr_shift_scale=1.0),
        )
    )


def _inputs(pipe: DiffusionPipeline, prompts: list[str], guidance: bool) -> dict[str, Any]:
    text = both("prompt_embeds", guidance, lambda texts: embed(pipe, texts, TOKENS, TEXT_DIM), prompts)
    return {"height": 48, "width": 64, "num_frames": 9, "guidance_scale": 4.0 if guidance else 1.0, **text}


COGVIDEOX = tiny("cogvideox", build, _inputs)
