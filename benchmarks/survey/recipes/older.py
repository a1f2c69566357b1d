"""What single older classes need beyond their templates."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import DDPMScheduler, UnCLIPScheduler
from diffusers.pipelines.deprecated.unclip.text_proj import UnCLIPTextProjModel
from diffusers.pipelines.stable_diffusion.stable_unclip_image_normalizer import StableUnCLIPImageNormalizer
from tests.tiny.common import component
from tests.tiny.zoo.case import drawn
from tests.tiny.zoo.configs import UNET
from tests.tiny.zoo.parts import clip_text, image_processor

from benchmarks.survey.generic import Recipe
from benchmarks.survey.templates.pixels import MOVQ, PRIOR
from benchmarks.survey.text_parts import build_encoder, tokenizer, vision

LATENT = {"output_type": "latent"}
UNTOLD = {"steps": 12}
UNTOLD_NOTE = "the scheduler does not report the number of steps: `enable(pipe, steps=N)`"


def project_text() -> Any:
    """From embeddings of text and image to what the decoder of unCLIP takes."""
    return component(
        lambda: UnCLIPTextProjModel(clip_embeddings_dim=16, time_embed_dim=32, cross_attention_dim=16), seed=4
    )


def normalizer() -> Any:
    """Scales the embeddings of images."""
    return component(lambda: StableUnCLIPImageNormalizer(embedding_dim=16), seed=3)


def projecting() -> Any:
    """A text encoder whose pooled output is as wide as its tokens."""
    return build_encoder("CLIPTextModelWithProjection", seed=6, projection_dim=16)


def seeing() -> Any:
    """An image encoder."""
    return vision("CLIPVisionModelWithProjection")


def seeing_larger() -> Any:
    """An image encoder for images of the size that the pipeline makes them itself."""
    return vision("CLIPVisionModelWithProjection", image_size=224, patch_size=56)


def noise_scheduler() -> Any:
    """Adds noise to an embedding."""
    return DDPMScheduler()


def decoder_scheduler() -> Any:
    """Of a decoder that predicts its variance as well."""
    return UnCLIPScheduler(variance_type="learned_range")


def encode(*_: Any, prompts: list[str], **__: Any) -> Any:
    """Stands in for a text encoder that has no tiny version."""
    return torch.cat([drawn(prompt, (12, 16)) for prompt in prompts]), torch.ones(len(prompts), 12, dtype=torch.bool)


SEEING = {"image_encoder": seeing, "feature_extractor": image_processor}
CLASSED = {
    "unet": (
        "UNet2DConditionModel",
        {**UNET, "class_embed_type": "projection", "projection_class_embeddings_input_dim": 32},
    )
}
UNCLIP = {"text_encoder": projecting, "text_proj": project_text, "decoder_scheduler": decoder_scheduler}
NOISED = {"image_normalizer": normalizer, "image_noising_scheduler": noise_scheduler}

OLDER: dict[str, Recipe] = {
    "StableVideoDiffusionPipeline": Recipe(parts={**SEEING, "image_encoder": seeing_larger}),
    "I2VGenXLPipeline": Recipe(parts=SEEING),
    "UnCLIPPipeline": Recipe(text=True, parts={**UNCLIP}),
    "UnCLIPImageVariationPipeline": Recipe("UnCLIPPipeline", text=True, parts={**UNCLIP, **SEEING}),
    "StableUnCLIPImg2ImgPipeline": Recipe(models=CLASSED, parts={**NOISED, **SEEING}),
    "StableUnCLIPPipeline": Recipe(
        "StableDiffusionPipeline",
        models={**CLASSED, "prior": PRIOR},
        text=True,
        parts={
            **NOISED,
            "prior_text_encoder": projecting,
            "prior_tokenizer": tokenizer,
            "prior_scheduler": UnCLIPScheduler,
        },
    ),
    "LDMTextToImagePipeline": Recipe(
        "StableDiffusionPipeline",
        models={"vqvae": MOVQ},
        text=True,
        parts={"bert": lambda: build_encoder("CLIPTextModel", seed=2)},
        call={"output_type": "np"},
    ),
    "StableCascadeDecoderPipeline": Recipe(
        media={"image_embeddings": lambda: drawn("image", (16, 4, 4))}, call=LATENT, told=UNTOLD, note=UNTOLD_NOTE
    ),
    "AmusedPipeline": Recipe(),
    "AmusedImg2ImgPipeline": Recipe("AmusedPipeline"),
    "AmusedInpaintPipeline": Recipe("AmusedPipeline"),
    "VersatileDiffusionImageVariationPipeline": Recipe(
        parts={"image_encoder": seeing, "image_feature_extractor": image_processor}, without=("negative_prompt",)
    ),
    "WuerstchenPriorPipeline": Recipe(parts={"text_encoder": clip_text}, told=UNTOLD, note=UNTOLD_NOTE),
    "WuerstchenDecoderPipeline": Recipe(
        text=True, media={"image_embeddings": lambda: drawn("image", (4, 6, 6))}, told=UNTOLD, note=UNTOLD_NOTE
    ),
    "VersatileDiffusionTextToImagePipeline": Recipe(
        "VersatileDiffusionImageVariationPipeline", text=True, parts={"text_encoder": projecting}
    ),
    "DreamLitePipeline": Recipe(
        without=("image",), parts={"text_encoder": clip_text}, attributes={"encode_prompt": encode}
    ),
    "DreamLiteMobilePipeline": Recipe(
        "DreamLitePipeline", without=("image",), parts={"text_encoder": clip_text}, attributes={"encode_prompt": encode}
    ),
    "BriaFibo2Pipeline": Recipe(without=("image", "mask")),
}
