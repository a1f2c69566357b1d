"""Pipelines that make images of text."""

from __future__ import annotations

from .case import DDIM, FLOW, FLOW_DPM, SHIFTED, Case
from .parts import KL_FLUX2, KL_SHIFTED
from .video import COSMOS, HEADS, KANDINSKY, LENGTHS, SAFE

SIZE = {"height": 64, "width": 64}
JOINT = {**HEADS, "num_single_layers": 2, "joint_attention_dim": 16, "in_channels": 16}
ROPE = {"axes_dims_rope": (4, 4, 4)}
PIXART = {
    **HEADS,
    "in_channels": 4,
    "out_channels": 8,
    "cross_attention_dim": 24,
    "caption_channels": 16,
    "sample_size": 8,
    "use_additional_conditions": False,
}

IMAGES = (
    Case(
        "StableDiffusion3Pipeline",
        {
            "transformer": (
                "SD3Transformer2DModel",
                {
                    **HEADS,
                    "sample_size": 8,
                    "in_channels": 4,
                    "out_channels": 4,
                    "joint_attention_dim": 16,
                    "caption_projection_dim": 24,
                    "pooled_projection_dim": 8,
                    "pos_embed_max_size": 16,
                },
            )
        },
        FLOW,
        {"prompt_embeds": (10, 16), "pooled_prompt_embeds": (8,)},
        call=SIZE,
    ),
    Case(
        "QwenImagePipeline",
        {
            "transformer": (
                "QwenImageTransformer2DModel",
                {**HEADS, **ROPE, "in_channels": 16, "out_channels": 4, "joint_attention_dim": 16},
            )
        },
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        {"prompt_embeds_mask": 10},
        SIZE,
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
        call=SIZE,
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
        call=SIZE,
    ),
    Case(
        "PixArtAlphaPipeline",
        {"transformer": ("PixArtTransformer2DModel", PIXART)},
        DDIM,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {**SIZE, "use_resolution_binning": False, "clean_caption": False, "negative_prompt": None},
    ),
    Case(
        "PixArtSigmaPipeline",
        {"transformer": ("PixArtTransformer2DModel", PIXART)},
        ("DPMSolverMultistepScheduler", {}),
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {**SIZE, "use_resolution_binning": False, "clean_caption": False, "negative_prompt": None},
    ),
    Case(
        "SanaPipeline",
        {
            "transformer": (
                "SanaTransformer2DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 4,
                    "num_cross_attention_heads": 2,
                    "cross_attention_head_dim": 12,
                    "cross_attention_dim": 24,
                    "caption_channels": 16,
                    "sample_size": 8,
                },
            )
        },
        FLOW_DPM,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {"height": 128, "width": 128, "use_resolution_binning": False, "negative_prompt": None},
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
        SIZE,
    ),
    Case(
        "LuminaPipeline",
        {
            "transformer": (
                "LuminaNextDiT2DModel",
                {
                    "sample_size": 8,
                    "hidden_size": 24,
                    "num_layers": 2,
                    "num_attention_heads": 2,
                    "num_kv_heads": 1,
                    "multiple_of": 16,
                    "cross_attention_dim": 16,
                },
            )
        },
        FLOW,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {**SIZE, "clean_caption": False, "negative_prompt": None},
    ),
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
        SIZE,
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
        SIZE,
    ),
    Case(
        "BriaPipeline",
        {
            "transformer": ("BriaTransformer2DModel", {**JOINT, **ROPE, "pooled_projection_dim": None}),
            "vae": KL_SHIFTED,
        },
        FLOW,
        {"prompt_embeds": (10, 16)},
        call=SIZE,
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
        call=SIZE,
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
        call=SIZE,
    ),
    Case(
        "HunyuanDiTPipeline",
        {
            "transformer": (
                "HunyuanDiT2DModel",
                {
                    "sample_size": 8,
                    "num_layers": 4,
                    "patch_size": 2,
                    "attention_head_dim": 8,
                    "num_attention_heads": 3,
                    "in_channels": 4,
                    "cross_attention_dim": 16,
                    "cross_attention_dim_t5": 16,
                    "pooled_projection_dim": 16,
                    "hidden_size": 24,
                    "text_len": 10,
                    "text_len_t5": 6,
                    "activation_fn": "gelu-approximate",
                },
            )
        },
        DDIM,
        {"prompt_embeds": (10, 16), "prompt_embeds_2": (6, 16)},
        {"prompt_attention_mask": 10, "prompt_attention_mask_2": 6},
        {**SIZE, "use_resolution_binning": False},
        parts={"requires_safety_checker": lambda: False},
    ),
    Case(
        "Cosmos2TextToImagePipeline",
        {"transformer": ("CosmosTransformer3DModel", {**COSMOS, "extra_pos_embed_type": None})},
        ("FlowMatchEulerDiscreteScheduler", {"use_karras_sigmas": True}),
        {"prompt_embeds": (10, 16)},
        call=SIZE,
        parts=SAFE,
    ),
    Case(
        "Kandinsky5T2IPipeline",
        {"transformer": ("Kandinsky5Transformer3DModel", KANDINSKY)},
        FLOW,
        {"prompt_embeds_qwen": (10, 16), "prompt_embeds_clip": (8,)},
        call=SIZE,
        media=LENGTHS,
        attributes={"resolutions": [(64, 64)]},
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
        call={**SIZE, "negative_prompt": None},
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
        {**SIZE, "use_resolution_binning": False},
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
        call={**SIZE, "use_pe": False},
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
        SIZE,
    ),
)
