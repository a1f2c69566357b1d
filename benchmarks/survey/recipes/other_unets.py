"""What single classes need beyond their templates whose U-Net, or what it reads, is not Stable Diffusion's."""

from __future__ import annotations

from typing import Any

import torch
from diffusers.pipelines.deprecated.blip_diffusion.blip_image_processing import BlipImageProcessor
from tests.tiny.zoo.case import drawn
from tests.tiny.zoo.parts import clip_text, image_processor, picture

from benchmarks.survey.generic import Recipe
from benchmarks.survey.templates.pixels import MOVQ
from benchmarks.survey.text_parts import build_encoder, projecting, seeing, tokenizer
from navicache import CallSpec

from .common import ARRAY, CLIP, TENSOR, unet


def seeing_larger() -> Any:
    """An image encoder for images of the size that the pipeline makes them itself."""
    return seeing(image_size=224, patch_size=56)


def encode_all(*_: Any, prompts: list[str], **__: Any) -> Any:
    """Stands in for a text encoder that has no tiny version."""
    return torch.cat([drawn(prompt, (12, 16)) for prompt in prompts]), torch.ones(len(prompts), 12, dtype=torch.bool)


class SubjectEncoder:
    """Stands in for a text encoder that takes the embedding of a subject between its words."""

    def __init__(self) -> None:
        """With the text model whose length of a prompt is asked for."""
        self.text_model = clip_text().text_model

    def __call__(self, **_: Any) -> Any:
        """What it makes of an empty prompt."""
        return (drawn("negative", (12, 16)),)


def encode_subject(*_: Any, **__: Any) -> Any:
    """Stands in for the embedding of a prompt with a subject."""
    return drawn("prompt", (12, 16))


FOUR_LEVELS = unet(  # as in the released model: the latents are then as large as what its ControlNet makes of an image
    block_out_channels=(8, 8, 8, 16),
    down_block_types=("CrossAttnDownBlock2D",) * 3 + ("DownBlock2D",),
    up_block_types=("UpBlock2D",) + ("CrossAttnUpBlock2D",) * 3,
)
DREAM: dict[str, Any] = {
    "without": ("image",),
    "parts": {"text_encoder": clip_text},
    "attributes": {"encode_prompt": encode_all},
}
SUBJECT: dict[str, Any] = {
    "template": "StableDiffusionPipeline",
    "text": True,
    "parts": {"text_encoder": SubjectEncoder, "image_processor": BlipImageProcessor},
    "attributes": {"get_query_embeddings": encode_subject, "encode_prompt": encode_subject},
    "call": {
        "prompt": ["a cat"],
        "source_subject_category": ["cat"],
        "target_subject_category": ["cat"],
        "height": 64,
        "width": 64,
        **TENSOR,
    },
}


OTHER_UNETS: dict[str, Recipe] = {
    "StableVideoDiffusionPipeline": Recipe(parts={**CLIP, "image_encoder": seeing_larger}),
    "I2VGenXLPipeline": Recipe(parts=CLIP),
    "LDMTextToImagePipeline": Recipe(
        "StableDiffusionPipeline",
        models={"vqvae": MOVQ},
        text=True,
        parts={"bert": lambda: build_encoder("CLIPTextModel", seed=2)},
        call=ARRAY,
    ),
    "VersatileDiffusionImageVariationPipeline": Recipe(
        parts={"image_encoder": seeing, "image_feature_extractor": image_processor}, without=("negative_prompt",)
    ),
    "VersatileDiffusionTextToImagePipeline": Recipe(
        "VersatileDiffusionImageVariationPipeline", text=True, parts={"text_encoder": projecting}
    ),
    "UniDiffuserPipeline": Recipe(
        told={"call": CallSpec(latent="latent_image_embeds", time="timestep_img")},
        note="the latent has to be named: `call=CallSpec(latent='latent_image_embeds', time='timestep_img')`",
        text=True,
        parts={
            "text_encoder": lambda: build_encoder("CLIPTextModel", seed=2),
            "clip_tokenizer": tokenizer,
            "text_tokenizer": tokenizer,
            "image_encoder": seeing,
            "clip_image_processor": image_processor,
        },
        without=("image",),
    ),
    "DreamLitePipeline": Recipe(**DREAM),
    "DreamLiteMobilePipeline": Recipe("DreamLitePipeline", **DREAM),
    "BlipDiffusionPipeline": Recipe(**SUBJECT),
    "BlipDiffusionControlNetPipeline": Recipe(**SUBJECT, models=FOUR_LEVELS, media={"condtioning_image": picture}),
}
