"""Tiny builds of pipelines with a U-Net on pixels, or on embeddings of images."""

from __future__ import annotations

from typing import Any

from tests.tiny.zoo.case import DDIM, Case
from tests.tiny.zoo.configs import TEXT
from tests.tiny.zoo.parts import SIDE

CROSSED: dict[str, Any] = {
    "sample_size": 16,
    "layers_per_block": 1,
    "block_out_channels": (8, 16),
    "down_block_types": ("ResnetDownsampleBlock2D", "SimpleCrossAttnDownBlock2D"),
    "mid_block_type": "UNetMidBlock2DSimpleCrossAttn",
    "up_block_types": ("SimpleCrossAttnUpBlock2D", "ResnetUpsampleBlock2D"),
    "cross_attention_dim": 16,
    "encoder_hid_dim": 16,
    "attention_head_dim": 4,
    "norm_num_groups": 4,
    "resnet_time_scale_shift": "scale_shift",
}
IF: dict[str, Any] = {
    **CROSSED,
    "in_channels": 3,
    "out_channels": 6,
    "addition_embed_type": "text",
    "addition_embed_type_num_heads": 2,
    "cross_attention_dim": 32,
    "cross_attention_norm": "group_norm",
}
IF_LARGER = {**IF, "in_channels": 6, "class_embed_type": "timestep"}
LEARNED = ("DDPMScheduler", {"variance_type": "learned_range", "beta_schedule": "squaredcos_cap_v2"})
DECODER = {**CROSSED, "in_channels": 4, "out_channels": 8}
KANDINSKY22 = {**DECODER, "addition_embed_type": "image", "encoder_hid_dim_type": "image_proj"}
KANDINSKY21 = {
    **DECODER,
    "addition_embed_type": "text_image",
    "encoder_hid_dim_type": "text_image_proj",
    "encoder_hid_dim": 16,
    "addition_embed_type_num_heads": 2,
}
MOVQ: tuple[str, dict[str, Any]] = (
    "VQModel",
    {
        "block_out_channels": (32, 32),
        "down_block_types": ("DownEncoderBlock2D", "AttnDownEncoderBlock2D"),
        "up_block_types": ("AttnUpDecoderBlock2D", "UpDecoderBlock2D"),
        "latent_channels": 4,
        "vq_embed_dim": 4,
        "num_vq_embeddings": 12,
        "norm_num_groups": 4,
        "norm_type": "spatial",
    },
)
PRIOR = ("PriorTransformer", {"num_attention_heads": 2, "attention_head_dim": 8, "num_layers": 2, "embedding_dim": 16})
PLAIN = {
    "block_out_channels": (8, 16),
    "layers_per_block": 1,
    "down_block_types": ("DownBlock2D", "AttnDownBlock2D"),
    "up_block_types": ("AttnUpBlock2D", "UpBlock2D"),
    "attention_head_dim": 4,
    "norm_num_groups": 4,
    "sample_size": 16,
}

PIXELS: tuple[Case, ...] = (
    Case("IFPipeline", {"unet": ("UNet2DConditionModel", IF)}, LEARNED, TEXT, call={**SIDE, "output_type": "pt"}),
    Case(
        "IFSuperResolutionPipeline",
        {"unet": ("UNet2DConditionModel", IF_LARGER)},
        LEARNED,
        TEXT,
        call={**SIDE, "output_type": "pt"},
    ),
    Case("KandinskyV22PriorPipeline", {"prior": PRIOR}, ("UnCLIPScheduler", {"variance_type": "fixed_small_log"}), {}),
    Case("KandinskyV22Pipeline", {"unet": ("UNet2DConditionModel", KANDINSKY22), "movq": MOVQ}, DDIM, {}, call=SIDE),
    Case("KandinskyPipeline", {"unet": ("UNet2DConditionModel", KANDINSKY21), "movq": MOVQ}, DDIM, {}, call=SIDE),
    Case(
        "Kandinsky3Pipeline",
        {
            "unet": (
                "Kandinsky3UNet",
                {
                    "time_embedding_dim": 8,
                    "groups": 2,
                    "attention_head_dim": 4,
                    "layers_per_block": 3,
                    "block_out_channels": (16, 32),
                    "cross_attention_dim": 8,
                    "encoder_hid_dim": 16,
                },
            ),
            "movq": MOVQ,
        },
        ("DDPMScheduler", {"beta_schedule": "squaredcos_cap_v2"}),
        TEXT,
        {"attention_mask": 12},
        call=SIDE,
    ),
    Case("DDIMPipeline", {"unet": ("UNet2DModel", PLAIN)}, DDIM, {}, call={"output_type": "np"}),
)
