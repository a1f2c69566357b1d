"""What single classes of cascades and priors need beyond their templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diffusers import DDPMScheduler, UnCLIPScheduler
from diffusers.pipelines.deprecated.unclip.text_proj import UnCLIPTextProjModel
from diffusers.pipelines.stable_diffusion.stable_unclip_image_normalizer import StableUnCLIPImageNormalizer
from tests.tiny.common import component
from tests.tiny.zoo import ZOO
from tests.tiny.zoo.case import drawn
from tests.tiny.zoo.configs import UNCOUNTED
from tests.tiny.zoo.parts import clip_text, image_processor

from benchmarks.survey.generic import Recipe
from benchmarks.survey.templates.cascades import WUERSTCHEN
from benchmarks.survey.templates.pixels import PRIOR
from benchmarks.survey.text_parts import projecting, seeing, tokenizer

from .common import CLIP, LATENT, unet


def project_text() -> Any:
    """From embeddings of text and image to what the decoder of unCLIP takes."""
    return component(
        lambda: UnCLIPTextProjModel(clip_embeddings_dim=16, time_embed_dim=32, cross_attention_dim=16), seed=4
    )


def normalizer() -> Any:
    """Scales the embeddings of images."""
    return component(lambda: StableUnCLIPImageNormalizer(embedding_dim=16), seed=3)


def decoder_scheduler() -> Any:
    """Of a decoder that predicts its variance as well."""
    return UnCLIPScheduler(variance_type="learned_range")


BOTH_TEXTS = {f"{stage}text_encoder": clip_text for stage in ("", "prior_")}
CLASSED = unet(class_embed_type="projection", projection_class_embeddings_input_dim=32)
UNCLIP = {"text_encoder": projecting, "text_proj": project_text, "decoder_scheduler": decoder_scheduler}
NOISED = {"image_normalizer": normalizer, "image_noising_scheduler": DDPMScheduler}
SHAPE = {
    "num_attention_heads": 2,
    "attention_head_dim": 4,
    "num_layers": 2,
    "embedding_dim": 16,
    "embedding_proj_dim": 16,
    "num_embeddings": 6,
    "additional_embeddings": 0,
    "clip_embed_dim": 32,
    "time_embed_act_fn": "gelu",
    "norm_in_type": "layer",
    "encoder_hid_proj_type": None,
    "added_emb_type": None,
}


def shape(parts: Mapping[str, Any], **changes: Any) -> Recipe:
    """A prior over the weights of a shape."""
    return Recipe(
        models={"prior": ("PriorTransformer", {**SHAPE, **changes})},
        scheduler=("HeunDiscreteScheduler", {"prediction_type": "sample", "use_karras_sigmas": True}),
        text=True,
        parts=parts,
        call=LATENT,
    )


CASCADES: dict[str, Recipe] = {
    "UnCLIPPipeline": Recipe(text=True, parts=UNCLIP),
    "UnCLIPImageVariationPipeline": Recipe("UnCLIPPipeline", text=True, parts={**UNCLIP, **CLIP}),
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
    "StableUnCLIPImg2ImgPipeline": Recipe(models=CLASSED, parts={**NOISED, **CLIP}),
    "StableCascadeDecoderPipeline": Recipe(
        media={"image_embeddings": lambda: drawn("image", (16, 4, 4))}, call=LATENT, **UNCOUNTED
    ),
    "StableCascadeCombinedPipeline": Recipe(
        "StableCascadeDecoderPipeline",
        models={"prior_prior": ZOO["StableCascadePrior"].models["prior"]},
        parts=BOTH_TEXTS,
        call={"height": 256, "width": 256},
        without=("images",),
        **UNCOUNTED,
    ),
    "WuerstchenPriorPipeline": Recipe(parts={"text_encoder": clip_text}, **UNCOUNTED),
    "WuerstchenDecoderPipeline": Recipe(
        text=True, media={"image_embeddings": lambda: drawn("image", (4, 6, 6))}, **UNCOUNTED
    ),
    "WuerstchenCombinedPipeline": Recipe(
        "WuerstchenDecoderPipeline",
        models={"prior_prior": ("WuerstchenPrior", WUERSTCHEN)},
        text=True,
        parts={"prior_tokenizer": tokenizer},
        call={"height": 256, "width": 256},
        **UNCOUNTED,
    ),
    "ShapEPipeline": shape({"text_encoder": projecting}),
    "ShapEImg2ImgPipeline": shape(
        {"image_encoder": seeing, "image_processor": image_processor}, embedding_proj_norm_type="layer"
    ),
}
