"""Tiny pipelines as diffusers folders, with a real tokenizer and text encoder, so that they take prompts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from diffusers import (
    AuraFlowPipeline,
    AuraFlowTransformer2DModel,
    AutoencoderKL,
    AutoencoderKLWan,
    WanPipeline,
    WanTransformer3DModel,
)
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast, UMT5Config, UMT5EncoderModel

from .common import component, flow_scheduler
from .wan import build_wan_i2v

SPECIAL = ("<pad>", "</s>", "<unk>")
WORDS = ("a", "red", "blue", "ball", "cat", "moves", "left", "right")
TEXT_DIM = 16


def save_wan(folder: Path, text_dtype: torch.dtype = torch.float32) -> Path:
    """Text to video."""
    transformer = {"num_attention_heads": 2, "attention_head_dim": 12, "in_channels": 16, "out_channels": 16}
    sizes = {"text_dim": TEXT_DIM, "freq_dim": 32, "ffn_dim": 32, "num_layers": 2, "rope_max_seq_len": 32}
    vae = {"base_dim": 4, "dim_mult": [1, 1, 1, 1], "num_res_blocks": 1}
    pipe = WanPipeline(
        **_text(text_dtype),
        vae=component(lambda: AutoencoderKLWan(**vae), seed=1),
        scheduler=flow_scheduler("unipc"),
        transformer=component(lambda: WanTransformer3DModel(**transformer, **sizes), seed=2),
    )
    pipe.save_pretrained(folder)
    return folder


def save_wan_i2v(folder: Path) -> Path:
    """Image to video, without an image encoder, as Wan 2.2 does it."""
    pipe = build_wan_i2v(clip=False)
    config = {**pipe.transformer.config, "text_dim": TEXT_DIM}
    pipe.register_modules(
        **_text(torch.float32),
        image_processor=None,
        transformer=component(lambda: WanTransformer3DModel.from_config(config), seed=2),
    )
    pipe.save_pretrained(folder)
    return folder


def save_image_pipeline(folder: Path) -> Path:
    """Text to image."""
    transformer = {"sample_size": 8, "num_mmdit_layers": 1, "num_single_dit_layers": 1, "attention_head_dim": 8}
    sizes = {
        "num_attention_heads": 2,
        "joint_attention_dim": TEXT_DIM,
        "caption_projection_dim": 16,
        "pos_embed_max_size": 64,
    }
    vae = {"block_out_channels": (8,) * 4, "latent_channels": 4, "norm_num_groups": 4}
    kinds = {"down_block_types": ("DownEncoderBlock2D",) * 4, "up_block_types": ("UpDecoderBlock2D",) * 4}
    pipe = AuraFlowPipeline(
        **_text(torch.float32),
        vae=component(lambda: AutoencoderKL(**vae, **kinds), seed=1),
        scheduler=flow_scheduler(),
        transformer=component(lambda: AuraFlowTransformer2DModel(**transformer, **sizes), seed=2),
    )
    pipe.save_pretrained(folder)
    return folder


def _text(dtype: torch.dtype) -> dict[str, Any]:
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *WORDS))}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.normalizer, words.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    words.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    named = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    config = UMT5Config(vocab_size=len(vocabulary), d_model=TEXT_DIM, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
    return {
        "tokenizer": PreTrainedTokenizerFast(tokenizer_object=words, **named),
        "text_encoder": component(lambda: UMT5EncoderModel(config), seed=0, dtype=dtype),
    }
