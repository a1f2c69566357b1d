"""Videos of text, which the blocks look at across."""

from __future__ import annotations

from .case import DDIM, FLOW, FLOW_DPM, Case
from .configs import (
    COSMOS,
    HEADS,
    KANDINSKY,
    LENGTHS,
    SAFE,
    SIZE,
    UNIPC,
    WAN,
)

VIDEO_CROSS = (
    Case(
        "AllegroPipeline",
        {
            "transformer": (
                "AllegroTransformer3DModel",
                {
                    **HEADS,
                    "attention_head_dim": 24,
                    "cross_attention_dim": 48,
                    "sample_height": 8,
                    "sample_width": 8,
                    "sample_frames": 8,
                    "caption_channels": 16,
                },
            )
        },
        DDIM,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {"height": 64, "width": 64, "num_frames": 8, "clean_caption": False, "negative_prompt": None},
    ),
    Case(
        "LattePipeline",
        {
            "transformer": (
                "LatteTransformer3DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 8,
                    "cross_attention_dim": 24,
                    "sample_size": 8,
                    "patch_size": 2,
                    "attention_bias": True,
                    "activation_fn": "gelu-approximate",
                    "num_embeds_ada_norm": 1000,
                    "norm_type": "ada_norm_single",
                    "norm_elementwise_affine": False,
                    "caption_channels": 16,
                    "video_length": 2,
                },
            )
        },
        DDIM,
        {"prompt_embeds": (10, 16)},
        call={"height": 64, "width": 64, "video_length": 2, "clean_caption": False, "negative_prompt": None},
    ),
    Case(
        "SkyReelsV2Pipeline",
        {"transformer": ("SkyReelsV2Transformer3DModel", WAN)},
        UNIPC,
        {"prompt_embeds": (12, 16)},
        call={**SIZE, "num_frames": 9},
    ),
    Case(
        "SkyReelsV2DiffusionForcingPipeline",
        {"transformer": ("SkyReelsV2Transformer3DModel", WAN)},
        UNIPC,
        {"prompt_embeds": (12, 16)},
        call={**SIZE, "num_frames": 9, "prompt": None},
    ),
    Case(
        "CosmosTextToWorldPipeline",
        {"transformer": ("CosmosTransformer3DModel", COSMOS)},
        (
            "EDMEulerScheduler",
            {"sigma_min": 0.002, "sigma_max": 80, "sigma_data": 0.5, "final_sigmas_type": "sigma_min"},
        ),
        {"prompt_embeds": (10, 16)},
        call={**SIZE, "num_frames": 9},
        parts=SAFE,
    ),
    Case(
        "Kandinsky5T2VPipeline",
        {"transformer": ("Kandinsky5Transformer3DModel", {**KANDINSKY, "visual_cond": True})},
        FLOW,
        {"prompt_embeds_qwen": (10, 16), "prompt_embeds_clip": (8,)},
        call={**SIZE, "num_frames": 5},
        media=LENGTHS,
    ),
    Case(
        "SanaVideoPipeline",
        {
            "transformer": (
                "SanaVideoTransformer3DModel",
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
        {"height": 64, "width": 64, "frames": 5, "use_resolution_binning": False, "negative_prompt": None},
    ),
    Case(
        "AnyFlowPipeline",
        {"transformer": ("AnyFlowTransformer3DModel", WAN)},
        ("FlowMapEulerDiscreteScheduler", {}),
        {"prompt_embeds": (12, 16)},
        call={**SIZE, "num_frames": 9, "guidance_scale": 4.0},
    ),
)
