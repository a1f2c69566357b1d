"""Images of text, which the blocks look at across."""

from __future__ import annotations

from .case import DDIM, FLOW, FLOW_DPM, Case
from .configs import (
    COSMOS,
    HEADS,
    KANDINSKY,
    LENGTHS,
    PIXART,
    SAFE,
)
from .parts import (
    SIDE,
)

IMAGES_CROSS = (
    Case(
        "PixArtAlphaPipeline",
        {"transformer": ("PixArtTransformer2DModel", PIXART)},
        DDIM,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {**SIDE, "use_resolution_binning": False, "clean_caption": False, "negative_prompt": None},
    ),
    Case(
        "PixArtSigmaPipeline",
        {"transformer": ("PixArtTransformer2DModel", PIXART)},
        ("DPMSolverMultistepScheduler", {}),
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {**SIDE, "use_resolution_binning": False, "clean_caption": False, "negative_prompt": None},
    ),
    Case(
        "SanaPipeline",
        {
            "transformer": (
                "SanaTransformer2DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 4,
                    "num_cross_attention_heads": 2,
                    "cross_attention_head_dim": 12,
                    "cross_attention_dim": 24,
                    "caption_channels": 16,
                    "sample_size": 8,
                },
            )
        },
        FLOW_DPM,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {"height": 128, "width": 128, "use_resolution_binning": False, "negative_prompt": None},
    ),
    Case(
        "LuminaPipeline",
        {
            "transformer": (
                "LuminaNextDiT2DModel",
                {
                    "sample_size": 8,
                    "hidden_size": 24,
                    "num_layers": 2,
                    "num_attention_heads": 2,
                    "num_kv_heads": 1,
                    "multiple_of": 16,
                    "cross_attention_dim": 16,
                },
            )
        },
        FLOW,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {**SIDE, "clean_caption": False, "negative_prompt": None},
    ),
    Case(
        "HunyuanDiTPipeline",
        {
            "transformer": (
                "HunyuanDiT2DModel",
                {
                    "sample_size": 8,
                    "num_layers": 4,
                    "patch_size": 2,
                    "attention_head_dim": 8,
                    "num_attention_heads": 3,
                    "in_channels": 4,
                    "cross_attention_dim": 16,
                    "cross_attention_dim_t5": 16,
                    "pooled_projection_dim": 16,
                    "hidden_size": 24,
                    "text_len": 10,
                    "text_len_t5": 6,
                    "activation_fn": "gelu-approximate",
                },
            )
        },
        DDIM,
        {"prompt_embeds": (10, 16), "prompt_embeds_2": (6, 16)},
        {"prompt_attention_mask": 10, "prompt_attention_mask_2": 6},
        {**SIDE, "use_resolution_binning": False},
        parts={"requires_safety_checker": lambda: False},
    ),
    Case(
        "Cosmos2TextToImagePipeline",
        {"transformer": ("CosmosTransformer3DModel", {**COSMOS, "extra_pos_embed_type": None})},
        ("FlowMatchEulerDiscreteScheduler", {"use_karras_sigmas": True}),
        {"prompt_embeds": (10, 16)},
        call=SIDE,
        parts=SAFE,
    ),
    Case(
        "Kandinsky5T2IPipeline",
        {"transformer": ("Kandinsky5Transformer3DModel", KANDINSKY)},
        FLOW,
        {"prompt_embeds_qwen": (10, 16), "prompt_embeds_clip": (8,)},
        call=SIDE,
        media=LENGTHS,
        attributes={"resolutions": [(64, 64)]},
    ),
)
