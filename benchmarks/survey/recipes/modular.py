"""What single classes of modular pipelines need beyond their templates."""

from __future__ import annotations

from typing import Any

import torch
from tests.tiny.zoo.configs import CLIP, VACE, WAN
from tests.tiny.zoo.parts import QWEN_VAE, picture

from benchmarks.survey.generic import STEPS, Recipe

EXPERTS = ("transformer", "transformer_2")


def noise(*shape: int) -> torch.Tensor:
    """What to begin with, for blocks that cannot ask an autoencoder for the number of channels."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


def wan(kind: str = "WanTransformer3DModel", experts: tuple[str, ...] = EXPERTS, **config: Any) -> dict[str, Any]:
    """One or two tiny experts."""
    return {name: (kind, {**WAN, **config}) for name in experts}


IMAGE = {"image": picture}
STARTING = {"latents": lambda: noise(1, 4, 3, 8, 8)}
COARSE = {  # an image to be edited is resized to a million pixels: an autoencoder that makes few tokens of them
    "vae": ("AutoencoderKLQwenImage", {**QWEN_VAE[1], "dim_mult": [1] * 6, "temperal_downsample": [False] * 5})
}
LARGER = {"height": 128, "width": 128}
MODULAR: dict[str, Recipe] = {
    "Cosmos3DistilledModularPipeline": Recipe(without=("num_inference_steps",)),
    "EchoModularPipeline": Recipe(
        by_steps={"sigmas": lambda steps: torch.linspace(1, 0, steps + 1).tolist()},
        told={"steps": STEPS},
        note="has no scheduler: needs `enable(..., steps=N)`",
    ),
    "MiniMaxMusic3ModularPipeline": Recipe(without=("semantic_generator",)),
    "FluxModularPipeline": Recipe(without=("image",)),
    "Ideogram4ModularPipeline": Recipe(by_steps={"guidance_schedule": lambda steps: [4.0] * steps}),
    "HeliosPyramidDistilledModularPipeline": Recipe("HeliosPyramidPipeline", scheduler=("HeliosDMDScheduler", {})),
    "QwenImageEditModularPipeline": Recipe("QwenImagePipeline", COARSE, call=LARGER, media=IMAGE),
    "QwenImageEditPlusModularPipeline": Recipe("QwenImagePipeline", COARSE, call=LARGER),
    "QwenImageLayeredModularPipeline": Recipe("QwenImagePipeline", COARSE),
    "WanModularPipeline": Recipe("WanVACEPipeline", wan(experts=("transformer",)), media=STARTING),
    "Wan22ModularPipeline": Recipe("WanVACEPipeline", wan(), media=STARTING),
    "Wan22Image2VideoModularPipeline": Recipe("WanVACEPipeline", wan(in_channels=12)),
    "Wan22VaceModularPipeline": Recipe("WanVACEPipeline", wan("WanVACETransformer3DModel", **VACE)),
    "WanImage2VideoModularPipeline": Recipe(
        "SkyReelsV2ImageToVideoPipeline",
        {"transformer": ("WanTransformer3DModel", {**CLIP, "in_channels": 12})},
        media=IMAGE,
    ),
    "ZImageModularPipeline": Recipe(without=("negative_prompt_embeds",)),
}
