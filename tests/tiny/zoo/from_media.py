"""Videos and images of images and videos."""

from __future__ import annotations

from .case import FLOW, SHIFTED, Case
from .configs import (
    CLIP,
    COGVIDEOX,
    FLUX,
    FROM_IMAGE,
    HEADS,
    I2V_TEXT,
    LOOKING,
    LTX,
    POOLED,
    ROPE,
    TEXT,
    UNIPC,
    WAN,
)
from .parts import (
    COGVIDEOX_VAE,
    KL_SHIFTED,
    LTX_VAE,
    QWEN_VAE,
    SIDE,
    WAN_VAE,
    picture,
    video,
)

FROM_MEDIA = (
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
)
