"""The embedded Wan's weights under the names that ComfyUI's WanModel has for them."""

import re
from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")

# What diffusers calls it, as a pattern; what ComfyUI calls it. The first that fits is taken.
RENAMES = (
    (r"condition_embedder\.text_embedder\.linear_1\.", "text_embedding.0."),
    (r"condition_embedder\.text_embedder\.linear_2\.", "text_embedding.2."),
    (r"condition_embedder\.time_embedder\.linear_1\.", "time_embedding.0."),
    (r"condition_embedder\.time_embedder\.linear_2\.", "time_embedding.2."),
    (r"condition_embedder\.time_proj\.", "time_projection.1."),
    (r"proj_out\.", "head.head."),
    (r"scale_shift_table$", "head.modulation"),
    (r"blocks\.(\d+)\.scale_shift_table$", r"blocks.\1.modulation"),
    (r"blocks\.(\d+)\.norm2\.", r"blocks.\1.norm3."),
    (r"blocks\.(\d+)\.ffn\.net\.0\.proj\.", r"blocks.\1.ffn.0."),
    (r"blocks\.(\d+)\.ffn\.net\.2\.", r"blocks.\1.ffn.2."),
    (r"blocks\.(\d+)\.attn1\.to_out\.0\.", r"blocks.\1.self_attn.o."),
    (r"blocks\.(\d+)\.attn2\.to_out\.0\.", r"blocks.\1.cross_attn.o."),
    (r"blocks\.(\d+)\.attn1\.(?:to_)?", r"blocks.\1.self_attn."),
    (r"blocks\.(\d+)\.attn2\.(?:to_)?", r"blocks.\1.cross_attn."),
    (r"patch_embedding\.", "patch_embedding."),
)


def rename(name: str) -> str:
    """One name.

    Example:
        >>> rename("blocks.3.attn1.to_q.weight"), rename("blocks.0.attn2.norm_k.weight")
        ('blocks.3.self_attn.q.weight', 'blocks.0.cross_attn.norm_k.weight')
    """
    for pattern, other in RENAMES:
        if re.match(pattern, name):
            return re.sub(pattern, other, name, count=1)
    raise ValueError(f"no name in ComfyUI is known for {name!r}: add it to RENAMES")


def renamed(weights: Mapping[str, Value]) -> dict[str, Value]:
    """All of them."""
    return {rename(name): value for name, value in weights.items()}
