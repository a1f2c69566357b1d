"""Images of text, whose blocks see text and image side by side."""

from __future__ import annotations

from .case import FLOW, SHIFTED, Case
from .configs import (
    HEADS,
)
from .parts import (
    SIDE,
)

IMAGES_ONE_STREAM = (
    Case(
        "Lumina2Pipeline",
        {
            "transformer": (
                "Lumina2Transformer2DModel",
                {
                    "sample_size": 8,
                    "in_channels": 4,
                    "hidden_size": 24,
                    "num_layers": 2,
                    "num_refiner_layers": 1,
                    "num_attention_heads": 2,
                    "num_kv_heads": 1,
                    "multiple_of": 16,
                    "axes_dim_rope": (4, 4, 4),
                    "axes_lens": (64, 32, 32),
                    "cap_feat_dim": 16,
                },
            )
        },
        FLOW,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        SIDE,
    ),
    Case(
        "CogView3PlusPipeline",
        {
            "transformer": (
                "CogView3PlusTransformer2DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 4,
                    "text_embed_dim": 16,
                    "time_embed_dim": 8,
                    "condition_dim": 2,
                    "pos_embed_max_size": 8,
                    "sample_size": 8,
                },
            )
        },
        ("CogVideoXDDIMScheduler", {}),
        {"prompt_embeds": (10, 16)},
        call=SIDE,
    ),
    Case(
        "CogView4Pipeline",
        {
            "transformer": (
                "CogView4Transformer2DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 4,
                    "text_embed_dim": 16,
                    "time_embed_dim": 8,
                    "condition_dim": 4,
                    "rope_axes_dim": (8, 8),
                    "attention_head_dim": 16,
                    "sample_size": 8,
                },
            )
        },
        FLOW,
        {"prompt_embeds": (16, 16)},
        call=SIDE,
    ),
    Case(
        "PRXPipeline",
        {
            "transformer": (
                "PRXTransformer2DModel",
                {
                    "in_channels": 4,
                    "context_in_dim": 16,
                    "hidden_size": 16,
                    "mlp_ratio": 2.0,
                    "num_heads": 2,
                    "depth": 2,
                    "axes_dim": [4, 4],
                },
            )
        },
        FLOW,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {**SIDE, "use_resolution_binning": False},
    ),
    Case(
        "ErnieImagePipeline",
        {
            "transformer": (
                "ErnieImageTransformer2DModel",
                {
                    "hidden_size": 24,
                    "num_attention_heads": 2,
                    "num_layers": 2,
                    "ffn_hidden_size": 32,
                    "in_channels": 16,
                    "out_channels": 16,
                    "text_in_dim": 16,
                    "rope_axes_dim": (4, 4, 4),
                },
            )
        },
        FLOW,
        {"prompt_embeds": (10, 16)},
        call={**SIDE, "use_pe": False},
    ),
    Case(
        "Krea2Pipeline",
        {
            "transformer": (
                "Krea2Transformer2DModel",
                {
                    "in_channels": 16,
                    "num_layers": 2,
                    "attention_head_dim": 12,
                    "num_attention_heads": 2,
                    "num_key_value_heads": 1,
                    "intermediate_size": 32,
                    "timestep_embed_dim": 32,
                    "text_hidden_dim": 16,
                    "num_text_layers": 2,
                    "text_num_attention_heads": 2,
                    "text_num_key_value_heads": 2,
                    "text_intermediate_size": 32,
                    "num_layerwise_text_blocks": 1,
                    "num_refiner_text_blocks": 1,
                    "axes_dims_rope": (4, 4, 4),
                },
            )
        },
        SHIFTED,
        {"prompt_embeds": (10, 2, 16)},
        {"prompt_embeds_mask": 10},
        SIDE,
    ),
)
