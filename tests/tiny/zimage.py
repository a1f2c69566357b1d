"""Z-Image: the transformer takes and returns lists of samples, positionally, and reverses time (0 is noise)."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import DiffusionPipeline, ZImagePipeline, ZImageTransformer2DModel

from .common import both, component, embed, flow_scheduler, prompt_length, ready, tiny

TOKENS, TEXT_DIM = 20, 16
SIZES: dict[str, Any] = {
    "in_channels": 4,
    "dim": 32,
    "n_layers": 2,
    "n_refiner_layers": 1,
    "n_heads": 2,
    "n_kv_heads": 2,
    "cap_feat_dim": TEXT_DIM,
    "axes_dims": [4, 6, 6],
    "axes_lens": [128, 32, 32],
}


def build(*, dtype: torch.dtype = torch.float32, seed: int = 0, layers: int = 2) -> ZImagePipeline:
    """One refiner layer for each of image and text, `layers` joint ones."""
    config = {**SIZES, "n_layers": layers}
    return ready(
        ZImagePipeline(
            scheduler=flow_scheduler(),
            vae=None,
            text_encoder=None,
            tokenizer=None,
            transformer=component(lambda: ZImageTransformer2DModel(**config), seed=seed, dtype=dtype),
        )
    )


def _inputs(pipe: DiffusionPipeline, prompts: list[str], guidance: bool) -> dict[str, Any]:
    def captions(texts: list[str]) -> list[torch.Tensor]:
        """Unpadded, so of different lengths: that is why this pipeline works on lists."""
        return [embed(pipe, [text], prompt_length(text, TOKENS), TEXT_DIM)[0] for text in texts]

    text = both("prompt_embeds", guidance, captions, prompts)
    return {"height": 64, "width": 96, "guidance_scale": 3.0 if guidance else 0.0, **text}  # 0 is off here, not 1


ZIMAGE = tiny("zimage", build, _inputs)
