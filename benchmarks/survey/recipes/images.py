"""What single classes of images need beyond their templates."""

from __future__ import annotations

from typing import Any

import torch
from tests.tiny.zoo.case import drawn
from tests.tiny.zoo.parts import clip_text, picture

from benchmarks.survey.generic import Recipe
from benchmarks.survey.text_parts import tokenizer

from .common import DEEP_VAE, LISTED

CONTROLLED = {"transformer": {"in_channels": 32, "out_channels": 16}}
FILLED = {"transformer": {"in_channels": 288, "out_channels": 16}}
SMALL_IMAGE = {"VAE_IMAGE_SIZE": 64**2, "CONDITION_IMAGE_SIZE": 64**2}
SPRINT: dict[str, Any] = {
    "changes": {"transformer": {"guidance_embeds": True}},
    "scheduler": ("SCMScheduler", {}),
    "call": {"intermediate_timesteps": None, "use_resolution_binning": False},
}
TASK = {"task_prompt": "a cat", "content_prompt": "a cat"}
SEEN: dict[str, Any] = {
    "changes": {"transformer": {**FILLED["transformer"], "pooled_projection_dim": 16}},
    "text": True,
    "call": TASK,
    "parts": {"resolution": lambda: 64},
    "media": {"image": lambda: [[picture(0), picture(1)], [picture(2), None]]},
}
REFINER_VAE = (
    "AutoencoderKLHunyuanImageRefiner",
    {"latent_channels": 4, "block_out_channels": (8, 8, 16, 16, 16), "layers_per_block": 1},
)
WIDE = {"transformer": {"in_channels": 64}, "vae": {"latent_channels": 16}}
RESIZED = {"calculate_dimensions": lambda area, ratio: (64, 64, None)}
NESTED = {name: lambda make=make: [make()] for name, make in LISTED.items()}


def tap(_: Any, tokens: torch.Tensor, *__: Any) -> list[torch.Tensor]:
    """Stands in for the hidden states of a text encoder that has no tiny version."""
    return [drawn("prompt", (tokens.shape[1], 32))]


def encode(*_: Any, **__: Any) -> Any:
    """Stands in for a text encoder that has no tiny version."""
    return drawn("prompt", (12, 16)), torch.zeros(12, 3)


def encode_masked(*_: Any, **__: Any) -> Any:
    """The same with a mask of tokens."""
    return drawn("prompt", (12, 16)), torch.ones(1, 12, dtype=torch.bool)


class Processor:
    """Stands in for a processor of text and images."""

    image_processor = None


class ChatProcessor:
    """Stands in for a processor that is asked for its words, and for nothing else when the text is given encoded."""

    def __init__(self) -> None:
        """With a tokenizer of a few words."""
        self.tokenizer = tokenizer()

    def apply_chat_template(self, *_: Any, **__: Any) -> list[list[int]]:
        """The tokens of the system's message."""
        return [[1, 2]]


IMAGES: dict[str, Recipe] = {
    "CogView4ControlPipeline": Recipe(changes={"transformer": {"in_channels": 8}}),
    "FluxControlPipeline": Recipe(changes=CONTROLLED),
    "FluxControlImg2ImgPipeline": Recipe(changes=CONTROLLED),
    "FluxControlInpaintPipeline": Recipe(changes=CONTROLLED),
    "FluxFillPipeline": Recipe(changes=FILLED),
    "VisualClozeGenerationPipeline": Recipe(**SEEN),
    "VisualClozePipeline": Recipe(**{**SEEN, "call": {**TASK, "upsampling_height": 64, "upsampling_width": 64}}),
    "StableDiffusion3InpaintPipeline": Recipe(
        changes={"transformer": {"in_channels": 16, "out_channels": 16}, "vae": {"latent_channels": 16}}
    ),
    "DiTPipeline": Recipe(changes={"transformer": {"num_embeds_ada_norm": 1000}}),
    "QwenImage21Pipeline": Recipe(parts={"processor": ChatProcessor}, without=("image",)),
    "QwenImageEditPipeline": Recipe(constants=RESIZED),
    "QwenImageEditInpaintPipeline": Recipe(constants=RESIZED),
    "QwenImageEditPlusPipeline": Recipe(constants=SMALL_IMAGE),
    "SanaSprintPipeline": Recipe(**SPRINT),
    "SanaSprintImg2ImgPipeline": Recipe(models={"vae": DEEP_VAE}, **SPRINT),
    "ZImageImg2ImgPipeline": Recipe(media=LISTED),
    "ZImageInpaintPipeline": Recipe(media=LISTED),
    "GlmImagePipeline": Recipe(without=("image",), media={"prior_token_ids": lambda: torch.arange(16)[None] % 32}),
    "LongCatImagePipeline": Recipe(attributes={"encode_prompt": encode}, text=True, changes=WIDE),
    "LongCatImageEditPipeline": Recipe(
        text=True,
        changes=WIDE,
        parts={"text_processor": Processor},
        attributes={"encode_prompt": encode},
        constants={"calculate_dimensions": lambda area, ratio: (64, 64)},
    ),
    "HunyuanImageRefinerPipeline": Recipe(
        models={"vae": REFINER_VAE},
        changes={
            "transformer": {"in_channels": 16, "out_channels": 8, "patch_size": (1, 1, 1), "rope_axes_dim": (4, 4, 4)}
        },
        media={"image": picture},
    ),
    "Ideogram4Pipeline": Recipe(
        text=True,
        scheduler=("FlowMatchEulerDiscreteScheduler", {}),
        parts={"text_encoder": clip_text, "tokenizer": tokenizer},
        attributes={"_get_text_encoder_hidden_states": tap},
        call={"max_sequence_length": 16},
    ),
    "NucleusMoEImagePipeline": Recipe(
        changes={"transformer": {"attention_head_dim": 24, "axes_dims_rope": (8, 8, 8), "capacity_factors": 1.0}}
    ),
    "ZImageOmniPipeline": Recipe(media=NESTED, without=("image",)),
    "BriaFibo2Pipeline": Recipe(without=("image", "mask")),
    "BriaFiboEditPipeline": Recipe(
        text=True, call={"prompt": '{"edit_instruction": "a cat"}', "_auto_resize": False}, without=("mask",)
    ),
    "QwenImageLayeredPipeline": Recipe(
        changes={"transformer": {"use_layer3d_rope": True, "use_additional_t_cond": True}},
        parts={"text_encoder": clip_text},
        constants={"calculate_dimensions": lambda area, ratio: (64, 64)},
        attributes={"get_image_caption": lambda *_, **__: None},
        call={"layers": 2, "output_type": "pt"},
    ),
    "JoyImageEditPlusPipeline": Recipe(
        text=True, attributes={"encode_prompt_multiple_images": encode_masked}, media={"images": lambda: [[picture()]]}
    ),
}
