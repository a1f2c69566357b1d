"""U-Nets in place of transformers."""

from __future__ import annotations

from .case import DDIM, Case
from .configs import (
    CASCADE,
    FROM_IMAGE,
    POOLED,
    TEXT,
    UNCOUNTED,
    UNET,
    UNET3D,
    UNSAFE,
    XL,
)
from .parts import (
    KL,
    SIDE,
    clip_text,
)

UNETS = (
    Case(
        "TextToVideoSDPipeline",
        {"unet": ("UNet3DConditionModel", {**UNET3D, "sample_size": 8})},
        DDIM,
        {"prompt_embeds": (10, 16)},
        call={"height": 64, "width": 64, "num_frames": 2},
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
        "StableCascadePriorPipeline",
        {
            "prior": (
                "StableCascadeUNet",
                {
                    **CASCADE,
                    "clip_image_in_channels": 8,
                    "clip_text_in_channels": 16,
                    "switch_level": (False,),
                },
            )
        },
        ("DDPMWuerstchenScheduler", {}),
        {"prompt_embeds": (12, 16), "prompt_embeds_pooled": (1, 8)},
        call={"height": 256, "width": 256, "output_type": "pt"},
        parts={"text_encoder": clip_text},
        **UNCOUNTED,
    ),
)
