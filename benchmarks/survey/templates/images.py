"""Tiny builds for denoiser classes that the tests have none of: images."""

from __future__ import annotations

from typing import Any

from tests.tiny.zimage import SIZES as ZIMAGE
from tests.tiny.zoo.case import DDIM, FLOW, SHIFTED, Case
from tests.tiny.zoo.configs import HEADS, JOINT, ROPE, TEXT
from tests.tiny.zoo.parts import KL, KL_FLUX2, KL_SHIFTED, QWEN_VAE, SIDE, WAN_VAE

JOY: dict[str, Any] = {
    "in_channels": 4,
    "hidden_size": 24,
    "num_attention_heads": 2,
    "text_dim": 16,
    "num_layers": 2,
    "rope_dim_list": [4, 4, 4],
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

IMAGES: tuple[Case, ...] = (
    Case(
        "ZImagePipeline",
        {"transformer": ("ZImageTransformer2DModel", ZIMAGE), "vae": KL_SHIFTED},
        FLOW,
        TEXT,
        call=SIDE,
    ),
    Case(
        "Ideogram4Pipeline",
        {
            name: (
                "Ideogram4Transformer2DModel",
                {
                    "in_channels": 16,
                    "num_layers": 2,
                    "attention_head_dim": 12,
                    "num_attention_heads": 2,
                    "intermediate_size": 32,
                    "adaln_dim": 16,
                    "llm_features_dim": 32,
                    "mrope_section": (2, 2, 2),
                },
            )
            for name in ("transformer", "unconditional_transformer")
        },
        SHIFTED,
        {},
        call={"height": 256, "width": 256, "guidance_scale": 4.0, "guidance_schedule": None},
    ),
    Case(
        "QwenImage21Pipeline",
        {
            "transformer": (
                "QwenImage21Transformer2DModel",
                {**HEADS, **ROPE, "in_channels": 4, "out_channels": 4, "context_in_dim": 16},
            )
        },
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        {"prompt_embeds_mask": 10},
        {**SIDE, "true_cfg_scale": 3.0},
    ),
    Case(
        "LongCatImagePipeline",
        {"transformer": ("LongCatImageTransformer2DModel", {**JOINT, **ROPE, "pooled_projection_dim": 16})},
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        call={**SIDE, "enable_prompt_rewrite": False},
    ),
    Case(
        "NucleusMoEImagePipeline",
        {
            "transformer": (
                "NucleusMoEImageTransformer2DModel",
                {
                    **HEADS,
                    **ROPE,
                    "num_layers": 5,
                    "in_channels": 16,
                    "out_channels": 4,
                    "joint_attention_dim": 16,
                    "num_experts": 4,
                    "moe_intermediate_dim": 16,
                    "capacity_factors": 8.0,
                },
            ),
            "vae": QWEN_VAE,
        },
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        {"prompt_embeds_mask": 10},
        SIDE,
    ),
    Case(
        "GlmImagePipeline",
        {
            "transformer": (
                "GlmImageTransformer2DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 4,
                    "attention_head_dim": 16,
                    "text_embed_dim": 16,
                    "time_embed_dim": 16,
                    "condition_dim": 8,
                    "prior_vq_quantizer_codebook_size": 32,
                },
            ),
            "vae": KL,
        },
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        call=SIDE,
    ),
    Case(
        "JoyImageEditPipeline",
        {"transformer": ("JoyImageEditTransformer3DModel", JOY), "vae": WAN_VAE},
        FLOW,
        TEXT,
        {"prompt_embeds_mask": 12},
        SIDE,
    ),
    Case(
        "JoyImageEditPlusPipeline",
        {"transformer": ("JoyImageEditPlusTransformer3DModel", JOY), "vae": WAN_VAE},
        FLOW,
        TEXT,
        {"prompt_embeds_mask": 12},
        SIDE,
    ),
    Case(
        "DiTPipeline",
        {
            "transformer": (
                "DiTTransformer2DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 8,
                    "sample_size": 8,
                    "num_embeds_ada_norm": 10,
                    "norm_num_groups": 4,
                },
            ),
            "vae": KL,
        },
        DDIM,
        {},
        call={"class_labels": [1], "output_type": "np"},
    ),
    Case(
        "BriaFiboPipeline",
        {
            "transformer": (
                "BriaFiboTransformer2DModel",
                {**JOINT, **ROPE, "in_channels": 4, "text_encoder_dim": 16, "joint_attention_dim": 32},
            ),
            "vae": WAN_VAE,
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
)
