"""Tiny builds of pipelines whose U-Net is not Stable Diffusion's."""

from __future__ import annotations

from typing import Any

from tests.tiny.zoo.case import DDIM, SHIFTED, Case
from tests.tiny.zoo.configs import TEXT, UNET, UNET3D
from tests.tiny.zoo.parts import KL, SIDE

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
UNI: dict[str, Any] = {
    "text_dim": 16,
    "clip_img_dim": 16,
    "num_text_tokens": 77,
    "num_attention_heads": 2,
    "attention_head_dim": 8,
    "in_channels": 4,
    "out_channels": 4,
    "num_layers": 2,
    "norm_num_groups": 4,
    "sample_size": 8,
    "patch_size": 2,
    "activation_fn": "gelu",
    "num_embeds_ada_norm": 1000,
    "use_patch_pos_embed": True,
}

OTHER_UNETS: tuple[Case, ...] = (
    Case(
        "StableVideoDiffusionPipeline",
        {
            "unet": (
                "UNetSpatioTemporalConditionModel",
                {
                    "block_out_channels": (32, 32),
                    "down_block_types": ("CrossAttnDownBlockSpatioTemporal", "DownBlockSpatioTemporal"),
                    "up_block_types": ("UpBlockSpatioTemporal", "CrossAttnUpBlockSpatioTemporal"),
                    "layers_per_block": 1,
                    "num_attention_heads": 2,
                    "cross_attention_dim": 16,
                    "addition_time_embed_dim": 8,
                    "projection_class_embeddings_input_dim": 24,
                },
            ),
            "vae": (
                "AutoencoderKLTemporalDecoder",
                {"down_block_types": ("DownEncoderBlock2D",) * 4, "block_out_channels": (32,) * 4},
            ),
        },
        ("EulerDiscreteScheduler", {"use_karras_sigmas": True, "prediction_type": "v_prediction"}),
        {},
        call={**SIDE, "num_frames": 2},
    ),
    Case(
        "I2VGenXLPipeline",
        {
            "unet": ("I2VGenXLUNet", {**UNET3D, "block_out_channels": (8, 16), "num_attention_heads": None}),
            "vae": KL,
        },
        DDIM,
        TEXT,
        call={**SIDE, "num_frames": 2},
    ),
    Case(
        "VersatileDiffusionImageVariationPipeline",
        {"image_unet": ("UNet2DConditionModel", UNET), "vae": KL},
        DDIM,
        {},
        call={**SIDE, "output_type": "latent"},
    ),
    Case(
        "UniDiffuserPipeline",
        {
            "unet": ("UniDiffuserModel", UNI),
            "vae": KL,
            "text_decoder": (
                "UniDiffuserTextDecoder",
                {"prefix_length": 77, "prefix_inner_dim": 16, "n_embd": 16, "n_layer": 1, "n_head": 2},
            ),
        },
        DDIM,
        {},
        call={**SIDE, "output_type": "latent"},
    ),
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
)
