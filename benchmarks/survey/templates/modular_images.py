"""Tiny builds of modular pipelines of images whose blocks take other arguments than the usual pipeline."""

from __future__ import annotations

from typing import Any

import torch
from tests.tiny.zoo.case import FLOW, SHIFTED, Case
from tests.tiny.zoo.configs import COSMOS, GUIDER, TEXT
from tests.tiny.zoo.parts import KL_FLUX2, QWEN_VAE, SIDE

from .images import IMAGES

KNOWN = {case.pipeline: case for case in IMAGES}
CONDITIONER: dict[str, Any] = {
    "source_dim": 16,
    "target_dim": 16,
    "model_dim": 16,
    "num_layers": 1,
    "num_attention_heads": 2,
    "target_vocab_size": 32,
    "min_sequence_length": 12,
}
FLUX3: tuple[str, dict[str, Any]] = (
    "Flux3Transformer2DModel",
    {
        "in_channels": 16,
        "cond_in_channels": 16,
        "num_layers": 1,
        "num_single_layers": 2,
        "attention_head_dim": 16,
        "num_attention_heads": 2,
        "joint_attention_dim": 16,
        "axes_dims_rope": (4, 4, 4, 4),
    },
)


def words(*numbers: int) -> torch.Tensor:
    """The tokens of one prompt."""
    return torch.tensor([numbers])


def qwen21(name: str) -> Case:
    """Qwen-Image 2.1 marks the places of images in its text."""
    case = KNOWN["QwenImage21Pipeline"]
    masks = {f"{prefix}image_pad_mask": torch.zeros(1, 10, dtype=torch.bool) for prefix in ("", "negative_")}
    return Case(name, case.models, SHIFTED, case.text, case.masks, {**SIDE, **masks}, GUIDER)


MODULAR_IMAGES: tuple[Case, ...] = (
    Case(
        "AnimaModularPipeline",
        {
            "transformer": ("CosmosTransformer3DModel", COSMOS),
            "text_conditioner": ("AnimaTextConditioner", CONDITIONER),
            "vae": QWEN_VAE,
        },
        FLOW,
        {"qwen_prompt_embeds": (10, 16)},
        {"qwen_attention_mask": 10, "t5_attention_mask": 4},
        {**SIDE, "t5_input_ids": words(4, 5, 2, 0), "negative_t5_input_ids": words(6, 7, 2, 0)},
    ),
    Case(
        "Ideogram4ModularPipeline",
        KNOWN["Ideogram4Pipeline"].models,
        FLOW,
        {"text_features": (10, 32)},
        call={"height": 64, "width": 64, "text_lengths": [10]},
    ),
    Case("Flux3ModularPipeline", {"transformer": FLUX3, "vae": KL_FLUX2}, FLOW, TEXT, call=SIDE),
    Case(
        "Flux3DistilledModularPipeline",
        {"transformer": (FLUX3[0], {**FLUX3[1], "flow_map": True}), "vae": KL_FLUX2},
        FLOW,
        TEXT,
        call=SIDE,
    ),
    qwen21("QwenImage21ModularPipeline"),
    qwen21("QwenImage21TurboModularPipeline"),
)
