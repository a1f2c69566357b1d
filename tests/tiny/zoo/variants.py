"""Pipelines that start from images or videos, two experts, and U-Nets."""

from __future__ import annotations

from typing import Any

from .case import DDIM, FLOW, SHIFTED, STEPS, Case
from .images import JOINT, ROPE
from .parts import (
    COGVIDEOX_VAE,
    KL,
    KL_SHIFTED,
    LTX_VAE,
    QWEN_VAE,
    SIDE,
    WAN_VAE,
    clip_text,
    image_encoder,
    image_processor,
    picture,
    video,
)
from .video import HEADS, UNIPC, WAN

TEXT = {"prompt_embeds": (12, 16)}
POOLED = {**TEXT, "pooled_prompt_embeds": (8,)}
CLIP = {**WAN, "image_dim": 16, "added_kv_proj_dim": 24}
FLUX = {**JOINT, **ROPE, "pooled_projection_dim": 8, "guidance_embeds": True}
COGVIDEOX = {
    "num_attention_heads": 2,
    "attention_head_dim": 16,
    "out_channels": 4,
    "time_embed_dim": 16,
    "text_embed_dim": 16,
    "num_layers": 2,
    "sample_width": 8,
    "sample_height": 8,
    "sample_frames": 9,
    "max_text_seq_length": 12,
    "use_rotary_positional_embeddings": True,
}
LTX = {
    **HEADS,
    "in_channels": 8,
    "out_channels": 8,
    "cross_attention_dim": 24,
    "caption_channels": 16,
}
UNET = {
    "block_out_channels": (8, 16),
    "layers_per_block": 1,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
    "cross_attention_dim": 16,
    "attention_head_dim": 4,
    "norm_num_groups": 2,
    "sample_size": 8,
}
XL = {
    **UNET,
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 8,
    "projection_class_embeddings_input_dim": 56,
    "transformer_layers_per_block": (1, 2),
    "use_linear_projection": True,
}
UNSAFE: dict[str, Any] = {"requires_safety_checker": lambda: False}
LOOKING = {"image_encoder": image_encoder, "image_processor": image_processor}
FROM_IMAGE = {"image": picture}
I2V_TEXT = {"prompt_embeds": (512, 16)}  # Wan's cross attention takes all but the last 512 tokens for image tokens

VARIANTS = (
    Case(
        "WanVideoToVideoPipeline",
        {"transformer": ("WanTransformer3DModel", WAN), "vae": WAN_VAE},
        UNIPC,
        TEXT,
        call={**SIDE, "strength": 0.8},
        media={"video": video},
    ),
    Case(
        "WanImageToVideoPipeline",
        {
            "transformer": ("WanTransformer3DModel", {**CLIP, "in_channels": 12, "pos_embed_seq_len": 10}),
            "vae": WAN_VAE,
        },
        UNIPC,
        I2V_TEXT,
        call={**SIDE, "num_frames": 9},
        media={"image": picture, "last_image": lambda: picture(1)},
        parts=LOOKING,
        label="WanImageToVideo, first and last frame",
    ),
    Case(
        "WanVACEPipeline",
        {
            "transformer": (
                "WanVACETransformer3DModel",
                {**WAN, "num_layers": 3, "vace_layers": [0, 1], "vace_in_channels": 72},
            ),
            "vae": WAN_VAE,
        },
        UNIPC,
        TEXT,
        call={**SIDE, "num_frames": 9},
    ),
    Case(
        "SkyReelsV2ImageToVideoPipeline",
        {"transformer": ("SkyReelsV2Transformer3DModel", {**CLIP, "in_channels": 12}), "vae": WAN_VAE},
        UNIPC,
        I2V_TEXT,
        call={**SIDE, "num_frames": 9},
        media=FROM_IMAGE,
        parts=LOOKING,
    ),
    Case(
        "CogVideoXImageToVideoPipeline",
        {
            "transformer": ("CogVideoXTransformer3DModel", {**COGVIDEOX, "in_channels": 8}),
            "vae": COGVIDEOX_VAE,
        },
        ("CogVideoXDDIMScheduler", {"prediction_type": "v_prediction"}),
        TEXT,
        call={**SIDE, "num_frames": 9},
        media=FROM_IMAGE,
    ),
    Case(
        "CogVideoXVideoToVideoPipeline",
        {"transformer": ("CogVideoXTransformer3DModel", {**COGVIDEOX, "in_channels": 4}), "vae": COGVIDEOX_VAE},
        ("CogVideoXDDIMScheduler", {"prediction_type": "v_prediction"}),
        TEXT,
        call=SIDE,
        media={"video": video},
    ),
    Case(
        "LTXImageToVideoPipeline",
        {"transformer": ("LTXVideoTransformer3DModel", LTX), "vae": LTX_VAE},
        FLOW,
        TEXT,
        {"prompt_attention_mask": 12},
        {**SIDE, "num_frames": 9},
        media=FROM_IMAGE,
    ),
    Case(
        "LTXConditionPipeline",
        {"transformer": ("LTXVideoTransformer3DModel", LTX), "vae": LTX_VAE},
        FLOW,
        TEXT,
        {"prompt_attention_mask": 12},
        {**SIDE, "num_frames": 9},
        media=FROM_IMAGE,
    ),
    Case(
        "StableDiffusionPipeline",
        {"unet": ("UNet2DConditionModel", UNET), "vae": KL},
        DDIM,
        TEXT,
        call=SIDE,
        parts=UNSAFE,
    ),
    Case(
        "StableDiffusionImg2ImgPipeline",
        {"unet": ("UNet2DConditionModel", UNET), "vae": KL},
        DDIM,
        TEXT,
        media=FROM_IMAGE,
        parts=UNSAFE,
    ),
    Case(
        "StableDiffusionXLPipeline",
        {"unet": ("UNet2DConditionModel", XL), "vae": KL},
        ("EulerDiscreteScheduler", {"timestep_spacing": "leading"}),
        POOLED,
        call=SIDE,
    ),
    Case(
        "StableDiffusionXLImg2ImgPipeline",
        {"unet": ("UNet2DConditionModel", XL), "vae": KL},
        ("EulerDiscreteScheduler", {"timestep_spacing": "leading"}),
        POOLED,
        call={"strength": 0.7},
        media=FROM_IMAGE,
    ),
    Case(
        "StableDiffusion3Img2ImgPipeline",
        {
            "transformer": (
                "SD3Transformer2DModel",
                {
                    **HEADS,
                    "sample_size": 8,
                    "in_channels": 4,
                    "out_channels": 4,
                    "joint_attention_dim": 16,
                    "caption_projection_dim": 24,
                    "pooled_projection_dim": 8,
                    "pos_embed_max_size": 16,
                },
            ),
            "vae": KL_SHIFTED,
        },
        FLOW,
        POOLED,
        call={**SIDE, "strength": 0.8},
        media=FROM_IMAGE,
    ),
    Case(
        "FluxImg2ImgPipeline",
        {"transformer": ("FluxTransformer2DModel", FLUX), "vae": KL_SHIFTED},
        FLOW,
        POOLED,
        call={**SIDE, "strength": 0.8, "true_cfg_scale": 3.0},
        media=FROM_IMAGE,
    ),
    Case(
        "FluxKontextPipeline",
        {"transformer": ("FluxTransformer2DModel", FLUX), "vae": KL_SHIFTED},
        SHIFTED,
        POOLED,
        call={**SIDE, "_auto_resize": False, "max_area": 64 * 64},
        media=FROM_IMAGE,
        guided=False,
    ),
    Case(
        "QwenImageImg2ImgPipeline",
        {
            "transformer": (
                "QwenImageTransformer2DModel",
                {**HEADS, **ROPE, "in_channels": 16, "out_channels": 4, "joint_attention_dim": 16},
            ),
            "vae": QWEN_VAE,
        },
        SHIFTED,
        TEXT,
        {"prompt_embeds_mask": 12},
        {**SIDE, "strength": 0.8},
        media=FROM_IMAGE,
    ),
    Case(
        "StableCascadePriorPipeline",
        {
            "prior": (
                "StableCascadeUNet",
                {
                    "conditioning_dim": 16,
                    "block_out_channels": (16, 16),
                    "num_attention_heads": (2, 2),
                    "down_num_layers_per_block": (1, 1),
                    "up_num_layers_per_block": (1, 1),
                    "clip_image_in_channels": 8,
                    "clip_text_in_channels": 16,
                    "clip_text_pooled_in_channels": 8,
                    "dropout": (0.0, 0.0),
                    "switch_level": (False,),
                },
            )
        },
        ("DDPMWuerstchenScheduler", {}),
        {"prompt_embeds": (12, 16), "prompt_embeds_pooled": (1, 8)},
        call={"height": 256, "width": 256, "output_type": "pt"},
        parts={"text_encoder": clip_text},
        told={"steps": STEPS},
        note="its scheduler does not tell the number of steps: `enable(pipe, steps=N)`",
    ),
)
