"""What single classes with a U-Net on pixels, or on embeddings of images, need beyond their templates."""

from __future__ import annotations

from typing import Any

import torch
from diffusers.pipelines.kandinsky.text_encoder import MCLIPConfig, MultilingualCLIP
from tests.tiny.common import component
from tests.tiny.zoo.case import drawn
from tests.tiny.zoo.parts import picture

from benchmarks.survey.generic import Recipe
from benchmarks.survey.media import mask
from benchmarks.survey.templates.pixels import KANDINSKY21, KANDINSKY22, MOVQ, PLAIN, PRIOR
from benchmarks.survey.text_parts import projecting, tokenizer

from .common import TENSOR, unet

STRONG = {"strength": 0.9}  # 0.3 leaves three of twelve steps
LARGER = "IFSuperResolutionPipeline"


def multilingual() -> Any:
    """The text encoder of Kandinsky 2.1."""
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = MCLIPConfig(transformerDimSize=16, imageDimSize=16, vocab_size=32, pad_token_id=0, **sizes)
    return component(lambda: MultilingualCLIP(config), seed=5)


EMBEDDED = {
    "image_embeds": lambda: drawn("image", (16,)),
    "negative_image_embeds": lambda: drawn("no image", (16,)),
}
HINT = {"hint": lambda: torch.rand((1, 3, 256, 256), generator=torch.Generator().manual_seed(0))}
HINTED = unet(KANDINSKY22, in_channels=8, addition_embed_type="image_hint")
PRIOR_PARTS = {"text_encoder": projecting}
BOTH = {"prior_text_encoder": projecting, "prior_tokenizer": tokenizer}
BOTH_MODELS = {"prior_prior": PRIOR, "movq": MOVQ}
SPOKEN = {"text_encoder": multilingual}
PICTURED = {**EMBEDDED, "image": picture}
COVERED = {**PICTURED, "mask_image": mask}

PIXELS: dict[str, Recipe] = {
    "IFSuperResolutionPipeline": Recipe(media={"image": lambda: picture().resize((16, 16))}),
    "IFImg2ImgSuperResolutionPipeline": Recipe(LARGER, media={"original_image": picture}),
    "IFInpaintingSuperResolutionPipeline": Recipe(LARGER, media={"original_image": picture}),
    "KandinskyV22PriorPipeline": Recipe(text=True, call=TENSOR, parts=PRIOR_PARTS),
    "KandinskyV22PriorEmb2EmbPipeline": Recipe(
        "KandinskyV22PriorPipeline", text=True, call={**TENSOR, **STRONG}, parts=PRIOR_PARTS
    ),
    "KandinskyPriorPipeline": Recipe("KandinskyV22PriorPipeline", text=True, call=TENSOR, parts=PRIOR_PARTS),
    "KandinskyV22Pipeline": Recipe(media=EMBEDDED),
    "KandinskyV22Img2ImgPipeline": Recipe("KandinskyV22Pipeline", media=PICTURED, call=STRONG),
    "KandinskyV22InpaintPipeline": Recipe(
        "KandinskyV22Pipeline", models=unet(KANDINSKY22, in_channels=9), media=COVERED
    ),
    "KandinskyV22ControlnetPipeline": Recipe(
        "KandinskyV22Pipeline", models=HINTED, media={**EMBEDDED, **HINT}, call=TENSOR
    ),
    "KandinskyV22ControlnetImg2ImgPipeline": Recipe(
        "KandinskyV22Pipeline", models=HINTED, media={**PICTURED, **HINT}, call={**TENSOR, **STRONG}
    ),
    "KandinskyV22CombinedPipeline": Recipe("KandinskyV22Pipeline", models=BOTH_MODELS, text=True, parts=BOTH),
    "KandinskyV22Img2ImgCombinedPipeline": Recipe("KandinskyV22Pipeline", models=BOTH_MODELS, text=True, parts=BOTH),
    "KandinskyV22InpaintCombinedPipeline": Recipe(
        "KandinskyV22Pipeline", models={**BOTH_MODELS, **unet(KANDINSKY22, in_channels=9)}, text=True, parts=BOTH
    ),
    "KandinskyPipeline": Recipe(text=True, call=TENSOR, parts=SPOKEN, media=EMBEDDED),
    "KandinskyImg2ImgPipeline": Recipe(
        "KandinskyPipeline", text=True, call={**TENSOR, **STRONG}, parts=SPOKEN, media=PICTURED
    ),
    "KandinskyInpaintPipeline": Recipe(
        "KandinskyPipeline",
        models=unet(KANDINSKY21, in_channels=9),
        text=True,
        call=TENSOR,
        parts=SPOKEN,
        media=COVERED,
    ),
    "KandinskyCombinedPipeline": Recipe(
        "KandinskyPipeline", models=BOTH_MODELS, text=True, call=TENSOR, parts={**BOTH, **SPOKEN}
    ),
    "KandinskyImg2ImgCombinedPipeline": Recipe(
        "KandinskyPipeline", models=BOTH_MODELS, text=True, call=TENSOR, parts={**BOTH, **SPOKEN}
    ),
    "KandinskyInpaintCombinedPipeline": Recipe(
        "KandinskyPipeline",
        models={**BOTH_MODELS, **unet(KANDINSKY21, in_channels=9)},
        text=True,
        call=TENSOR,
        parts={**BOTH, **SPOKEN},
    ),
    "Kandinsky3Img2ImgPipeline": Recipe("Kandinsky3Pipeline", call=STRONG),
    "DDPMPipeline": Recipe("DDIMPipeline", scheduler=("DDPMScheduler", {})),
    "PNDMPipeline": Recipe("DDIMPipeline", scheduler=("PNDMScheduler", {})),
    "RePaintPipeline": Recipe(
        "DDIMPipeline", scheduler=("RePaintScheduler", {}), call={"jump_length": 2, "jump_n_sample": 2, "eta": 0.0}
    ),
    "ScoreSdeVePipeline": Recipe("DDIMPipeline", scheduler=("ScoreSdeVeScheduler", {})),
    "KarrasVePipeline": Recipe("DDIMPipeline", scheduler=("KarrasVeScheduler", {})),
    "ConsistencyModelPipeline": Recipe("DDIMPipeline", scheduler=("CMStochasticIterativeScheduler", {})),
    "LDMPipeline": Recipe("DDIMPipeline", models=unet(PLAIN, "UNet2DModel", in_channels=4, out_channels=4)),
    "LDMSuperResolutionPipeline": Recipe(
        "DDIMPipeline",
        models={
            **unet(PLAIN, "UNet2DModel", in_channels=6, out_channels=3),
            "vqvae": ("VQModel", {**MOVQ[1], "latent_channels": 3, "vq_embed_dim": 3}),
        },
    ),
}
