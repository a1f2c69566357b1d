"""What single classes need beyond their templates: parts that only they ask for, or that two stages share."""

from __future__ import annotations

from typing import Any

from tests.tiny.zoo import ZOO
from tests.tiny.zoo.configs import SAFE
from tests.tiny.zoo.parts import clip_text

from benchmarks.survey.generic import Recipe
from benchmarks.survey.templates.older import WUERSTCHEN
from benchmarks.survey.text_parts import tokenizer

from .images import LISTED
from .older import LATENT, SEEING, UNTOLD, UNTOLD_NOTE, projecting

BOTH_TEXTS = {f"{stage}text_encoder": clip_text for stage in ("", "prior_")}
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


class ChatProcessor:
    """Stands in for a processor that is asked for its words, and for nothing else when the text is given encoded."""

    def __init__(self) -> None:
        """With a tokenizer of a few words."""
        self.tokenizer = tokenizer()

    def apply_chat_template(self, *_: Any, **__: Any) -> list[list[int]]:
        """The tokens of the system's message."""
        return [[1, 2]]


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
    "ShapEPipeline": shape(),
    "ShapEImg2ImgPipeline": shape(embedding_proj_norm_type="layer"),
}
