"""What single classes need beyond their templates: parts that only they ask for, or that two stages share."""

from __future__ import annotations

from typing import Any

from diffusers.pipelines.deprecated.blip_diffusion.blip_image_processing import BlipImageProcessor
from tests.tiny.zoo import ZOO
from tests.tiny.zoo.case import drawn
from tests.tiny.zoo.configs import SAFE, UNET
from tests.tiny.zoo.parts import clip_text, image_processor, picture

from benchmarks.survey.generic import Recipe
from benchmarks.survey.templates.older import WUERSTCHEN
from benchmarks.survey.templates.oldest import GREY, HEARD, listening, speaking, vocoder
from benchmarks.survey.text_parts import build_encoder, tokenizer
from navicache import CallSpec

from .images import LISTED
from .older import LATENT, SEEING, UNTOLD, UNTOLD_NOTE, projecting, seeing

BOTH_TEXTS = {f"{stage}text_encoder": clip_text for stage in ("", "prior_")}
WHOLE = "it denoises tokens, which are whole numbers: a policy that measures a distance has none"
UNTOLD_STAGES: dict[str, Any] = {"told": UNTOLD, "note": UNTOLD_NOTE}
STEERED = {
    "control_layers_places": [0],
    "control_refiner_layers_places": [0],
    "dim": 32,
    "n_refiner_layers": 1,
    "n_heads": 2,
    "n_kv_heads": 2,
}
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


class SubjectEncoder:
    """Stands in for a text encoder that takes the embedding of a subject between its words."""

    def __init__(self) -> None:
        """With the text model whose length of a prompt is asked for."""
        self.text_model = clip_text().text_model

    def __call__(self, **_: Any) -> Any:
        """What it makes of an empty prompt."""
        return (drawn("negative", (12, 16)),)


class ChatProcessor:
    """Stands in for a processor that is asked for its words, and for nothing else when the text is given encoded."""

    def __init__(self) -> None:
        """With a tokenizer of a few words."""
        self.tokenizer = tokenizer()

    def apply_chat_template(self, *_: Any, **__: Any) -> list[list[int]]:
        """The tokens of the system's message."""
        return [[1, 2]]


def encode(*_: Any, **__: Any) -> Any:
    """Stands in for the embedding of a prompt with a subject."""
    return drawn("prompt", (12, 16))


FOUR_LEVELS = {  # as in the released model: the latents are then as large as what its ControlNet makes of an image
    "unet": (
        "UNet2DConditionModel",
        {
            **UNET,
            "block_out_channels": (8, 8, 8, 16),
            "down_block_types": ("CrossAttnDownBlock2D",) * 3 + ("DownBlock2D",),
            "up_block_types": ("UpBlock2D",) + ("CrossAttnUpBlock2D",) * 3,
        },
    )
}
SUBJECT: dict[str, Any] = {
    "template": "StableDiffusionPipeline",
    "text": True,
    "parts": {"text_encoder": SubjectEncoder, "image_processor": BlipImageProcessor},
    "attributes": {"get_query_embeddings": encode, "encode_prompt": encode},
    "call": {
        "prompt": ["a cat"],
        "source_subject_category": ["cat"],
        "target_subject_category": ["cat"],
        "height": 64,
        "width": 64,
        "output_type": "pt",
    },
}


def spectrogram(text_encoder: Any) -> Recipe:
    """A U-Net on spectrograms, with an embedding where others have tokens."""
    heard = {f"{which}prompt_embeds": lambda which=which: drawn(f"{which}prompt", (8,)) for which in ("", "negative_")}
    return Recipe(
        "StableDiffusionPipeline",
        models={"unet": ("UNet2DConditionModel", HEARD), "vae": GREY},
        parts={"vocoder": vocoder, "text_encoder": text_encoder},
        media=heard,
        call={"audio_length_in_s": 1.0},
    )


def steered(channels: int) -> Recipe:
    """Z-Image with a ControlNet for so many channels."""
    control = ("ZImageControlNetModel", {**STEERED, "control_in_dim": channels})
    return Recipe("ZImagePipeline", models={"controlnet": control}, media=LISTED)


def shape(**changes: Any) -> Recipe:
    """A prior over the weights of a shape."""
    return Recipe(
        models={"prior": ("PriorTransformer", {**SHAPE, **changes})},
        scheduler=("HeunDiscreteScheduler", {"prediction_type": "sample", "use_karras_sigmas": True}),
        text=True,
        parts={**SEEING, "text_encoder": projecting, "image_processor": SEEING["feature_extractor"]},
        call=LATENT,
    )


NEWEST: dict[str, Recipe] = {
    "StableCascadeCombinedPipeline": Recipe(
        "StableCascadeDecoderPipeline",
        models={"prior_prior": ZOO["StableCascadePrior"].models["prior"]},
        parts=BOTH_TEXTS,
        call={"height": 256, "width": 256},
        without=("images",),
        **UNTOLD_STAGES,
    ),
    "WuerstchenCombinedPipeline": Recipe(
        "WuerstchenDecoderPipeline",
        models={"prior_prior": ("WuerstchenPrior", WUERSTCHEN)},
        text=True,
        parts={"prior_tokenizer": tokenizer},
        call={"height": 256, "width": 256},
        **UNTOLD_STAGES,
    ),
    "StableAudio3InpaintPipeline": Recipe(call={"mask_start_seconds": 0.5, "mask_end_seconds": 1.0}, without=("mask",)),
    "Cosmos3OmniPipeline": Recipe(
        "Cosmos3OmniModularPipeline",
        text=True,
        parts={**SAFE, "text_tokenizer": tokenizer},
        call={"num_frames": 9},
        without=("image", "video"),
    ),
    "ZImageControlNetPipeline": steered(4),
    "ZImageControlNetInpaintPipeline": steered(9),
    "QwenImage21Pipeline": Recipe(parts={"processor": ChatProcessor}, without=("image",)),
    "DanceDiffusionPipeline": Recipe(call={"audio_length_in_s": 2.0}),
    "AudioLDMPipeline": spectrogram(speaking),
    "MusicLDMPipeline": spectrogram(listening),
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
    "VQDiffusionPipeline": Recipe(text=True, note=WHOLE),
    "BlipDiffusionPipeline": Recipe(**SUBJECT),
    "BlipDiffusionControlNetPipeline": Recipe(**SUBJECT, models=FOUR_LEVELS, media={"condtioning_image": picture}),
    "ShapEPipeline": shape(),
    "ShapEImg2ImgPipeline": shape(embedding_proj_norm_type="layer"),
}
