"""Images of text, whose blocks carry the text along in a stream of its own."""

from __future__ import annotations

from .case import FLOW, SHIFTED, Case
from .configs import (
    HEADS,
    JOINT,
    QWEN,
    ROPE,
    SD3,
)
from .parts import (
    KL_FLUX2,
    KL_SHIFTED,
    SIDE,
)

IMAGES_JOINT = (
    Case(
        "StableDiffusion3Pipeline",
        {"transformer": ("SD3Transformer2DModel", SD3)},
        FLOW,
        {"prompt_embeds": (10, 16), "pooled_prompt_embeds": (8,)},
        call=SIDE,
    ),
    Case(
        "QwenImagePipeline",
        {"transformer": ("QwenImageTransformer2DModel", QWEN)},
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        {"prompt_embeds_mask": 10},
        SIDE,
    ),
    Case(
        "Flux2Pipeline",
        {
            "transformer": (
                "Flux2Transformer2DModel",
                {**JOINT, "attention_head_dim": 16, "axes_dims_rope": (4, 4, 4, 4), "timestep_guidance_channels": 32},
            )
        },
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        call=SIDE,
        guided=False,
    ),
    Case(
        "Flux2KleinPipeline",
        {
            "transformer": (
                "Flux2Transformer2DModel",
                {
                    **JOINT,
                    "attention_head_dim": 16,
                    "axes_dims_rope": (4, 4, 4, 4),
                    "timestep_guidance_channels": 32,
                    "guidance_embeds": False,
                },
            ),
            "vae": KL_FLUX2,
        },
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        call=SIDE,
    ),
    Case(
        "AuraFlowPipeline",
        {
            "transformer": (
                "AuraFlowTransformer2DModel",
                {
                    "sample_size": 8,
                    "num_mmdit_layers": 2,
                    "num_single_dit_layers": 1,
                    "attention_head_dim": 8,
                    "num_attention_heads": 2,
                    "joint_attention_dim": 16,
                    "caption_projection_dim": 16,
                    "pos_embed_max_size": 64,
                },
            )
        },
        FLOW,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        SIDE,
    ),
    Case(
        "HiDreamImagePipeline",
        {
            "transformer": (
                "HiDreamImageTransformer2DModel",
                {
                    "patch_size": 2,
                    "in_channels": 4,
                    "out_channels": 4,
                    "num_layers": 2,
                    "num_single_layers": 1,
                    "attention_head_dim": 16,
                    "num_attention_heads": 2,
                    "caption_channels": [16, 16],
                    "text_emb_dim": 16,
                    "num_routed_experts": 2,
                    "num_activated_experts": 1,
                    "axes_dims_rope": (8, 4, 4),
                    "max_resolution": (16, 16),
                    "llama_layers": [0, 1],
                    "force_inference_output": True,
                },
            )
        },
        FLOW,
        {"prompt_embeds_t5": (10, 16), "prompt_embeds_llama3": (2, 1, 10, 16), "pooled_prompt_embeds": (16,)},
        bare=("prompt_embeds_llama3",),
        call={"height": 128, "width": 128},
        attributes={"default_sample_size": 16},
    ),
    Case(
        "ChromaPipeline",
        {
            "transformer": (
                "ChromaTransformer2DModel",
                {
                    **JOINT,
                    **ROPE,
                    "approximator_num_channels": 8,
                    "approximator_hidden_dim": 16,
                    "approximator_layers": 1,
                },
            )
        },
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        SIDE,
    ),
    Case(
        "BriaPipeline",
        {
            "transformer": ("BriaTransformer2DModel", {**JOINT, **ROPE, "pooled_projection_dim": None}),
            "vae": KL_SHIFTED,
        },
        FLOW,
        {"prompt_embeds": (10, 16)},
        call=SIDE,
    ),
    Case(
        "HunyuanImagePipeline",
        {
            "transformer": (
                "HunyuanImageTransformer2DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 4,
                    "num_layers": 1,
                    "num_single_layers": 1,
                    "num_refiner_layers": 1,
                    "mlp_ratio": 2.0,
                    "text_embed_dim": 16,
                    "text_embed_2_dim": 8,
                    "rope_axes_dim": (6, 6),
                },
            )
        },
        FLOW,
        {"prompt_embeds": (10, 16), "prompt_embeds_2": (6, 8)},
        {"prompt_embeds_mask": 10, "prompt_embeds_mask_2": 6},
        {"height": 256, "width": 256},
    ),
    Case(
        "OvisImagePipeline",
        {"transformer": ("OvisImageTransformer2DModel", {**JOINT, **ROPE, "out_channels": 16})},
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        call={**SIDE, "negative_prompt": None},
    ),
)
