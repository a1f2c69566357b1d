"""Wan: text to video, image to video (16 latent + 20 condition channels) and the two-expert 2.2 pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
import PIL.Image
import torch
from diffusers import (
    AutoencoderKLWan,
    DiffusionPipeline,
    WanImageToVideoPipeline,
    WanPipeline,
    WanTransformer3DModel,
)
from transformers import CLIPImageProcessor, CLIPVisionConfig, CLIPVisionModel

from .common import both, component, embed, flow_scheduler, ready, tiny

TEXT_DIM, IMAGE_DIM, INNER = 16, 16, 24
SIZE = {"height": 48, "width": 64, "num_frames": 9}
I2V_TOKENS = 512  # Wan's cross attention takes all but the last 512 tokens for image tokens


def _transformer(seed: int, dtype: torch.dtype, **config: Any) -> WanTransformer3DModel:
    defaults = {
        "num_attention_heads": 2,
        "attention_head_dim": INNER // 2,
        "in_channels": 4,
        "out_channels": 4,
        "text_dim": TEXT_DIM,
        "freq_dim": 32,
        "ffn_dim": 32,
        "num_layers": 2,
        "rope_max_seq_len": 32,
    }
    return component(lambda: WanTransformer3DModel(**{**defaults, **config}), seed=seed, dtype=dtype)


def build_wan(
    *, scheduler: str = "unipc", dtype: torch.dtype = torch.float32, seed: int = 0, layers: int = 2
) -> WanPipeline:
    """Wan 2.1 text to video."""
    return ready(
        WanPipeline(
            tokenizer=None,
            text_encoder=None,
            vae=None,
            scheduler=flow_scheduler(scheduler),
            transformer=_transformer(seed, dtype, num_layers=layers),
        )
    )


def build_wan22(
    *,
    scheduler: str = "unipc",
    dtype: torch.dtype = torch.float32,
    seed: int = 0,
    layers: int = 2,
    boundary_ratio: float = 0.875,
) -> WanPipeline:
    """Wan 2.2: a high-noise and a low-noise transformer; at shift 3 the switch falls after a third of the steps."""
    return ready(
        WanPipeline(
            tokenizer=None,
            text_encoder=None,
            vae=None,
            scheduler=flow_scheduler(scheduler),
            transformer=_transformer(seed, dtype, num_layers=layers),
            transformer_2=_transformer(seed + 1, dtype, num_layers=layers),
            boundary_ratio=boundary_ratio,
        )
    )


def build_wan_i2v(
    *,
    scheduler: str = "unipc",
    dtype: torch.dtype = torch.float32,
    seed: int = 0,
    layers: int = 2,
    clip: bool = True,
) -> WanImageToVideoPipeline:
    """Wan 2.1 image to video; `clip=False` leaves out the image encoder, as Wan 2.2 does."""
    vision = CLIPVisionConfig(
        hidden_size=IMAGE_DIM,
        intermediate_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=16,
        patch_size=8,
    )
    vae = {"base_dim": 4, "dim_mult": [1, 1, 1, 1], "num_res_blocks": 1}
    image = {"image_dim": IMAGE_DIM, "added_kv_proj_dim": INNER} if clip else {}
    return ready(
        WanImageToVideoPipeline(
            tokenizer=None,
            text_encoder=None,
            vae=component(lambda: AutoencoderKLWan(**vae), seed=seed + 2),
            scheduler=flow_scheduler(scheduler),
            image_processor=CLIPImageProcessor(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16}),
            image_encoder=component(lambda: CLIPVisionModel(vision), seed=seed + 3) if clip else None,
            transformer=_transformer(seed, dtype, num_layers=layers, in_channels=36, out_channels=16, **image),
        )
    )


def picture(seed: int = 0) -> PIL.Image.Image:
    """The conditioning image; one for all samples of a batch, because the pipeline takes only one."""
    pixels = np.random.default_rng(seed).integers(0, 256, (SIZE["height"], SIZE["width"], 3), dtype=np.uint8)
    return PIL.Image.fromarray(pixels)


def _inputs(pipe: DiffusionPipeline, prompts: list[str], guidance: bool, tokens: int = 12) -> dict[str, Any]:
    text = both("prompt_embeds", guidance, lambda texts: embed(pipe, texts, tokens, TEXT_DIM), prompts)
    return {**SIZE, **text, "guidance_scale": 4.0 if guidance else 1.0}


def _inputs_wan22(pipe: DiffusionPipeline, prompts: list[str], guidance: bool) -> dict[str, Any]:
    return {**_inputs(pipe, prompts, guidance), "guidance_scale_2": 3.0 if guidance else 1.0}


def _inputs_i2v(pipe: DiffusionPipeline, prompts: list[str], guidance: bool) -> dict[str, Any]:
    return {**_inputs(pipe, prompts, guidance, tokens=I2V_TOKENS), "image": picture()}


WAN = tiny("wan", build_wan, _inputs)
WAN_I2V = tiny("wan_i2v", build_wan_i2v, _inputs_i2v)
WAN22 = tiny("wan22", build_wan22, _inputs_wan22)
