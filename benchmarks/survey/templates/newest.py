"""Tiny builds for denoiser classes that the tests have none of: the newest images."""

from __future__ import annotations

from typing import Any

from tests.tiny.zoo.case import FLOW, SHIFTED, Case
from tests.tiny.zoo.parts import KL_FLUX2, LTX2_VAE, SIDE, picture

DREAMLITE: dict[str, Any] = {
    "block_out_channels": (8, 8, 16),
    "layers_per_block": 1,
    "norm_num_groups": 4,
    "cross_attention_dim": 16,
    "attention_head_dim": 8,
    "addition_embed_type": "time",
    "addition_time_embed_dim": 8,
    "projection_class_embeddings_input_dim": 16,
}
FIBO2: dict[str, Any] = {
    "in_channels": 4,
    "dim": 32,
    "n_layers": 2,
    "n_refiner_layers": 1,
    "n_heads": 2,
    "cap_feat_dim": 16,
    "injection_layer_ids": (1,),
    "perceiver_num_layers": 1,
    "min_num_gist_tokens": 4,
    "max_num_gist_tokens": 8,
    "gist_step": 4,
    "gist_min_text_len": 4,
    "gist_max_text_len": 16,
    "axes_dims": (4, 6, 6),
}
SANA_WORLD: dict[str, Any] = {
    "in_channels": 4,
    "num_layers": 2,
    "hidden_size": 32,
    "num_attention_heads": 2,
    "softmax_every_n": 2,
    "linear_head_dim": 16,
    "chunk_plucker_post_attn_blocks": 2,
    "caption_channels": 16,
}

NEWEST: tuple[Case, ...] = (
    Case(
        "DreamLitePipeline",
        {
            "unet": ("DreamLiteUNetModel", DREAMLITE),
            "vae": (
                "AutoencoderTiny",
                {"encoder_block_out_channels": (8,) * 4, "decoder_block_out_channels": (8,) * 4},
            ),
        },
        SHIFTED,
        {},
        call=SIDE,
    ),
    Case(
        "BriaFibo2Pipeline",
        {"transformer": ("BriaFibo2Transformer2DModel", FIBO2), "vae": KL_FLUX2},
        SHIFTED,
        {"prompt_embeds": (2, 12, 16)},
        {"prompt_embeds_mask": 12},
        SIDE,
    ),
    Case(
        "SanaWMPipeline",
        {
            "transformer": ("SanaWMTransformer3DModel", SANA_WORLD),
            "vae": (LTX2_VAE[0], {**LTX2_VAE[1], "spatial_compression_ratio": 8}),
        },
        FLOW,
        {"prompt_embeds": (1, 12, 16)},
        {"prompt_attention_mask": 12},
        {"height": 64, "width": 64, "num_frames": 9, "action": "w-8", "intrinsics": [64.0, 64.0, 32.0, 32.0]},
        media={"image": picture},
    ),
)
