"""Tiny builds of cascades: a prior makes what a decoder is conditioned on."""

from __future__ import annotations

from typing import Any

from tests.tiny.zoo.case import Case
from tests.tiny.zoo.configs import CASCADE

from .pixels import CROSSED, PLAIN, PRIOR

UNCLIP: tuple[str, dict[str, Any]] = ("UnCLIPScheduler", {"variance_type": "learned_range"})
CASCADE_DECODER: dict[str, Any] = {
    **CASCADE,
    "in_channels": 4,
    "out_channels": 4,
    "effnet_in_channels": 16,
    "pixel_mapper_in_channels": 3,
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

CASCADES: tuple[Case, ...] = (
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
