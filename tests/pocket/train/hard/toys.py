"""The recipes of `flux` and `ltx` in miniature, and what they are trained on."""

import torch

from navicache_pocket.train.hard import flux, ltx
from navicache_pocket.train.hard.training import CaptionedLatents

SIDE = 32
T5 = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2, "feed_forward_proj": "gated-gelu"}
CLIP = {**flux.CLIP, "hidden_size": 16, "intermediate_size": 16}
FLUX_SIZES = {
    **{"num_layers": 1, "num_single_layers": 1, "attention_head_dim": 8, "num_attention_heads": 2},
    **{"joint_attention_dim": 16, "pooled_projection_dim": 16, "axes_dims_rope": (2, 2, 4)},
}
LTX_SIZES = {"num_attention_heads": 2, "attention_head_dim": 12, "cross_attention_dim": 24, "num_layers": 1}
SMALL = {
    "flux": flux.FluxRecipe(size=SIDE, transformer={**flux.TRANSFORMER, **FLUX_SIZES}, t5=T5, clip=CLIP),
    "ltx": ltx.LTXRecipe(size=SIDE, transformer={**ltx.TRANSFORMER, **LTX_SIZES, "caption_channels": 16}, t5=T5),
}


def shake(module):
    """Random weights where a training begins with zeros."""
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(0.05 * torch.randn_like(weight))
    return module


def make_pool(name):
    tokens, channels = (16, 16) if name == "flux" else (48, 24)
    return CaptionedLatents(torch.randn(4, tokens, channels).bfloat16(), torch.arange(4))
