"""Tiny builds of pipelines whose denoisers are like no others: video U-Nets, cascades, masked tokens."""

from __future__ import annotations

from typing import Any

from tests.tiny.zoo.case import DDIM, Case
from tests.tiny.zoo.configs import TEXT, UNET
from tests.tiny.zoo.parts import KL, SIDE

from .pixels import CROSSED, MOVQ, PLAIN, PRIOR

UNCLIP: tuple[str, dict[str, Any]] = ("UnCLIPScheduler", {"variance_type": "learned_range"})
CASCADE_DECODER: dict[str, Any] = {
    "in_channels": 4,
    "out_channels": 4,
    "conditioning_dim": 16,
    "block_out_channels": (16, 16),
    "num_attention_heads": (2, 2),
    "down_num_layers_per_block": (1, 1),
    "up_num_layers_per_block": (1, 1),
    "clip_text_pooled_in_channels": 8,
    "effnet_in_channels": 16,
    "pixel_mapper_in_channels": 3,
    "dropout": (0.0, 0.0),
}
LARGER = {**PLAIN, "in_channels": 6, "out_channels": 3}

WUERSTCHEN = {"c_in": 4, "c": 16, "c_cond": 16, "c_r": 16, "depth": 2, "nhead": 2, "dropout": 0.0}
WUERSTCHEN_DECODER = {
    "c_cond": 16,
    "c_r": 16,
    "c_hidden": [16, 16],
    "nhead": [-1, 2],
    "blocks": [1, 1],
    "level_config": ["CT", "CTA"],
    "inject_effnet": [False, True],
    "effnet_embd": 4,
    "clip_embd": 16,
    "dropout": 0.0,
}
OLDER: tuple[Case, ...] = (
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
            "unet": (
                "I2VGenXLUNet",
                {
                    "block_out_channels": (8, 16),
                    "layers_per_block": 1,
                    "down_block_types": ("CrossAttnDownBlock3D", "DownBlock3D"),
                    "up_block_types": ("UpBlock3D", "CrossAttnUpBlock3D"),
                    "cross_attention_dim": 16,
                    "attention_head_dim": 4,
                    "num_attention_heads": None,
                    "norm_num_groups": 2,
                },
            ),
            "vae": KL,
        },
        DDIM,
        TEXT,
        call={**SIDE, "num_frames": 2},
    ),
    Case(
        "UnCLIPPipeline",
        {
            "prior": PRIOR,
            "decoder": (
                "UNet2DConditionModel",
                {
                    **{name: value for name, value in CROSSED.items() if name != "encoder_hid_dim"},
                    "in_channels": 3,
                    "out_channels": 6,
                    "class_embed_type": "identity",
                },
            ),
            "super_res_first": ("UNet2DModel", LARGER),
            "super_res_last": ("UNet2DModel", LARGER),
        },
        UNCLIP,
        {},
        call={"output_type": "pt"},
    ),
    Case(
        "StableCascadeDecoderPipeline",
        {"decoder": ("StableCascadeUNet", CASCADE_DECODER)},
        ("DDPMWuerstchenScheduler", {}),
        {"prompt_embeds": (12, 16), "prompt_embeds_pooled": (1, 8)},
    ),
    Case(
        "AmusedPipeline",
        {
            "transformer": (
                "UVit2DModel",
                {
                    "hidden_size": 16,
                    "cond_embed_dim": 8,
                    "micro_cond_encode_dim": 2,
                    "micro_cond_embed_dim": 10,
                    "encoder_hidden_size": 16,
                    "vocab_size": 32,
                    "codebook_size": 24,
                    "in_channels": 8,
                    "block_out_channels": 8,
                    "num_res_blocks": 1,
                    "block_num_heads": 1,
                    "num_hidden_layers": 1,
                    "num_attention_heads": 2,
                    "intermediate_size": 16,
                    "sample_size": 8,
                },
            ),
            "vqvae": (
                "VQModel",
                {
                    **MOVQ[1],
                    "num_vq_embeddings": 24,
                    "norm_type": "group",
                    "latent_channels": 8,
                    "vq_embed_dim": 8,
                    "lookup_from_codebook": True,
                },
            ),
        },
        ("AmusedScheduler", {"mask_token_id": 31}),
        {"prompt_embeds": (8,), "encoder_hidden_states": (12, 16)},
        call={**SIDE, "output_type": "np"},
    ),
    Case(
        "VersatileDiffusionImageVariationPipeline",
        {"image_unet": ("UNet2DConditionModel", UNET), "vae": KL},
        DDIM,
        {},
        call={**SIDE, "output_type": "latent"},
    ),
    Case(
        "WuerstchenPriorPipeline",
        {"prior": ("WuerstchenPrior", WUERSTCHEN)},
        ("DDPMWuerstchenScheduler", {}),
        {"prompt_embeds": (12, 16)},
        call={"height": 256, "width": 256, "output_type": "pt"},
    ),
    Case(
        "WuerstchenDecoderPipeline",
        {"decoder": ("WuerstchenDiffNeXt", WUERSTCHEN_DECODER)},
        ("DDPMWuerstchenScheduler", {}),
        {},
        call={"output_type": "latent"},
    ),
)
